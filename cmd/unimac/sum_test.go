// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/vectors"
	"github.com/unimac/unimac/multimixer"
	"github.com/unimac/unimac/poly1305"
	"github.com/unimac/unimac/umac"
)

// workIn creates a new current directory with a key file named key.
func workIn(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Chdir(dir)
	writeFile(t, "key", testKey)
	return dir
}

// named returns the message from which the tag of a line is computed.
func named(name, content string) []byte {
	return slices.Concat([]byte{0, 0, 0, 0, 0, 0, 0, byte(len(name))}, []byte(name), []byte(content))
}

// TestSumIsUMAC compares tags with package umac. The keys were computed with Python, as
// in TestDerive.
func TestSumIsUMAC(t *testing.T) {
	workIn(t)
	content := strings.Repeat("content", 100_000)
	writeFile(t, "file", content)
	for name, key := range map[string]string{
		"umac-32":  "9719cbfdc877fde9919d526592fc54c3",
		"umac-64":  "c64a12b703589d33bb3def861cf441dc",
		"umac-96":  "124f9ecac85cbf6c5fec6d918ebaf872",
		"umac-128": "f67d259936c6c8ab4c3372c67794e7a3",
	} {
		r := runWith("", "sum", "-k", "key", "-a", name, "file")
		r.Want(t, 0, name+" (file) nonce=", "")
		line, err := parseSumLine(strings.TrimSuffix(r.Stdout, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := hex.DecodeString(key)
		k, err := umac.NewKey(raw, len(line.tag))
		if err != nil {
			t.Fatal(err)
		}
		if !k.Verify(line.tag, line.nonce, named("file", content)) {
			t.Errorf("%s: package umac rejects tag %x", name, line.tag)
		}
	}
}

// TestSumIsPoly1305 compares tags with package poly1305. The one-time keys are derived
// as the usage text describes, from a key that was computed with Python.
func TestSumIsPoly1305(t *testing.T) {
	workIn(t)
	content := strings.Repeat("content", 100_000)
	writeFile(t, "file", content)
	key, _ := hex.DecodeString("c92b694ae83c905b2cee53eef901fe76e4ce0732cb65a3f3271754d5758eed57")
	for range 3 {
		r := runWith("", "sum", "-k", "key", "-a", "poly1305", "file")
		r.Want(t, 0, "poly1305 (file) nonce=", "")
		line, err := parseSumLine(strings.TrimSuffix(r.Stdout, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(line.nonce) != 16 {
			t.Errorf("got a nonce of %d bytes, want 16", len(line.nonce))
		}
		h, err := blake2b.New256(key)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(line.nonce)
		oneTime := (*[poly1305.KeySize]byte)(h.Sum(nil))
		if !poly1305.Verify((*[poly1305.TagSize]byte)(line.tag), named("file", content), oneTime) {
			t.Errorf("package poly1305 rejects tag %x under the derived one-time key", line.tag)
		}
	}
}

// TestSumIsMultimixer compares tags with package multimixer. The keys were computed
// with Python. Each run prints the same line.
func TestSumIsMultimixer(t *testing.T) {
	workIn(t)
	content := strings.Repeat("content", 100_000)
	writeFile(t, "file", content)
	for name, key := range map[string]string{
		"multimixer-512": "203f34797e4ebc79506dac68310c33e2c0a57c3f618a72562818c8375a240c5f",
		"multimixer-256": "2e38e0669bfef9ef508f3a3db1a480d64fcf2fca9e7e4b07a7fef0f3aab2c064",
		"multimixer-128": "29170a8b1f4b78e4e2a5b245ebbdd6c7d10f8f0bb2fd5b59718624a1b7293f7d",
	} {
		raw, _ := hex.DecodeString(key)
		bits, _ := strconv.Atoi(strings.TrimPrefix(name, "multimixer-"))
		k, err := multimixer.NewKey(raw, bits/8)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%s (file) named-tag=%x key=9c0ff690\n", name, k.Sum(nil, named("file", content)))
		for range 2 {
			runWith("", "sum", "-k", "key", "-a", name, "file").Want(t, 0, want, "")
		}
	}
}

// TestSumIsAEGISMAC compares tags with package aegis.
func TestSumIsAEGISMAC(t *testing.T) {
	workIn(t)
	content := strings.Repeat("content", 100_000)
	writeFile(t, "file", content)
	for _, tt := range []struct {
		name, key string
		size      int
	}{
		{"aegismac256x2-256", "ccbd0dd3194ba8dd7612d572db5e433b90d8c0429524d8f83090c6cf46d9bb56", 32},
		{"aegismac256x2-128", "a47456eb9c7b527c7e26c866870e6eac051be68a95faaf538bc6fdd5589b2733", 16},
	} {
		raw, _ := hex.DecodeString(tt.key)
		m, err := aegis.NewMAC(aegis.AEGIS256X2, raw, make([]byte, 32), tt.size)
		if err != nil {
			t.Fatal(err)
		}
		m.Write(named("file", content))
		want := fmt.Sprintf("%s (file) named-tag=%x key=9c0ff690\n", tt.name, m.Sum(nil))
		for range 2 {
			runWith("", "sum", "-k", "key", "-a", tt.name, "file").Want(t, 0, want, "")
		}
	}
}

func TestSumDefaults(t *testing.T) {
	workIn(t)
	r := runWith("data", "sum", "-k", "key")
	r.Want(t, 0, "umac-128 (-) nonce=", "")
	runWith("data", "check", "-k", "key", writeFile(t, "list", r.Stdout)).Want(t, 0, "-: OK\n", "")
	runWith("Data", "check", "-k", "key", "list").Want(t, 1, "-: FAILED\n", "unimac check: 1 tag is WRONG\n")
}

func TestNoncesDiffer(t *testing.T) {
	workIn(t)
	seen := map[string]bool{}
	for _, name := range []string{"umac-128", "poly1305"} {
		r := runWith("", append([]string{"sum", "-k", "key", "-a", name}, slices.Repeat([]string{"key"}, 200)...)...)
		for line := range strings.Lines(r.Stdout) {
			l, err := parseSumLine(strings.TrimSuffix(line, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			seen[string(l.nonce)] = true
		}
	}
	if len(seen) != 400 {
		t.Errorf("got %d different nonces in 400 lines, want 400", len(seen))
	}
}

func TestSumGoesOn(t *testing.T) {
	dir := workIn(t)
	writeFile(t, "a", "a")
	writeFile(t, "b", "b")
	if err := os.Mkdir("dir", 0o700); err != nil {
		t.Fatal(err)
	}
	_, statErr := os.Open("none")
	noFile := cli.Reason(statErr)
	r := runWith("", "sum", "-k", "key", "a", "none", "dir", "-", "-", "b", filepath.Join(dir, "a"))
	r.Want(t, 1, "umac-128 (a) ", fmt.Sprintf("unimac sum: none: %s\nunimac sum: dir: is a directory\nunimac sum: -: standard input is already in use\n", noFile))
	var files []string
	for line := range strings.Lines(r.Stdout) {
		l, err := parseSumLine(strings.TrimSuffix(line, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, l.files...)
	}
	if got, want := fmt.Sprint(files), fmt.Sprint([]string{"a", "-", "b", filepath.ToSlash(filepath.Join(dir, "a"))}); got != want {
		t.Errorf("got lines for %s, want %s", got, want)
	}
	// Arguments after "--" are not flags.
	runWith("", "sum", "-k", "key", "--", "-a").Want(t, 1, "", "unimac sum: -a: "+noFile+"\n")
}

func TestSumReadError(t *testing.T) {
	workIn(t)
	r := runReader(clitest.BrokenReader("data"), "sum", "-k", "key", "-", "key")
	r.Want(t, 1, "umac-128 (key) ", "unimac sum: -: broken\n")
}

// oddNames returns file names that a careless format would confuse with something else.
func oddNames() []string {
	end := ") nonce=" + nonceHex + " tag=" + tagHex
	names := []string{
		"plain", "two words", "  lead", "-", "--", "-k", "(", ")", "()", "x" + end,
		"umac-128 (y) nonce=0", "ünïcödé", "名前", "#", "'", "%s%d", ".hidden",
	}
	if runtime.GOOS == "windows" {
		return names
	}
	names = append(names, " ", "trail ", ") ",
		`back\slash`, `\`, `\n`, `\\n`, `\x41`, "new\nline", "\n", "\r", "cr\rlf\r\n", "\t", "bell\a", "\x1b[31mred",
		"\x7f", `"`, "*", "?", "a:b", "name: OK", "\nname: OK", "x"+end+"\numac-128 (y"+end)
	if runtime.GOOS == "linux" {
		names = append(names, "\xff", "\xc3(", "lat\xedn")
	}
	return names
}

func TestRoundTripOddNames(t *testing.T) {
	workIn(t)
	var args, names []string
	for _, name := range oddNames() {
		path := "." + string(filepath.Separator) + name
		if err := os.WriteFile(path, []byte("content of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		if name == "-" {
			name = path
		}
		args = append(args, name)
	}
	r := runWith("", append([]string{"sum", "-k", "key", "--"}, args...)...)
	r.Want(t, 0, "umac-128 (plain) ", "")
	if got := strings.Count(r.Stdout, "\n"); got != len(names) {
		t.Fatalf("got %d lines, want %d", got, len(names))
	}
	for _, list := range []string{r.Stdout, strings.TrimSuffix(r.Stdout, "\n"), strings.ReplaceAll(r.Stdout, "\n", "\r\n")} {
		c := runWith(list, "check", "-k", "key")
		c.Want(t, 0, "plain: OK", "")
		if got := strings.Count(c.Stdout, ": OK\n"); got < len(names) || strings.Count(c.Stdout, "\n") != len(names) {
			t.Errorf("%d files are OK, want %d:\n%s", got, len(names), c.Stdout)
		}
		if strings.ContainsAny(c.Stdout, "\x1b\r\a\x7f\t") {
			t.Errorf("check prints control characters: %q", c.Stdout)
		}
	}
	// Each file has its own line. If one file is changed, exactly that line fails.
	for i, name := range names {
		path := "." + string(filepath.Separator) + name
		writeFile(t, path, "changed")
		c := runWith(r.Stdout, "check", "-k", "key", "-q")
		c.Want(t, 1, cli.Escape(filepath.ToSlash(args[i]))+": FAILED\n", "unimac check: 1 tag is WRONG\n")
		writeFile(t, path, "content of "+name)
	}
}

// TestRoundTripLengths checks that sum and check agree for every algorithm at lengths
// around the buffer sizes, and that check detects a change of the last bit.
func TestRoundTripLengths(t *testing.T) {
	workIn(t)
	lengths := []int{0, 1, 31, 1023, 1024, 1025, 128<<10 - 1, 128 << 10, 128<<10 + 1, 1 << 20, 3<<20 + 5}
	if testing.Short() {
		lengths = []int{0, 1025, 128<<10 + 1}
	}
	for _, a := range algorithms {
		for _, n := range lengths {
			data := bytes.Repeat([]byte{0xa5}, n)
			list := runWith(string(data), "sum", "-k", "key", "-a", a.name).Stdout
			writeFile(t, "list", list)
			runWith(string(data), "check", "-k", "key", "-a", a.name, "list").Want(t, 0, "-: OK\n", "")
			runWith(string(data)+"\x00", "check", "-k", "key", "-a", a.name, "-status", "list").Want(t, 1, "", "")
			if n > 0 {
				data[n-1] ^= 1
				runWith(string(data), "check", "-k", "key", "-a", a.name, "-status", "list").Want(t, 1, "", "")
			}
		}
	}
}

// TestSumMemory checks that sum uses little memory for inputs of any length.
func TestSumMemory(t *testing.T) {
	workIn(t)
	before := allocated()
	runReader(io.LimitReader(zeros{}, 256<<20), "sum", "-k", "key").Want(t, 0, "umac-128 (-) ", "")
	if got := allocated() - before; got > 4<<20 {
		t.Errorf("sum of 256 MiB allocated %d bytes, want at most 4 MiB", got)
	}
}

func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// zeros is an endless stream of zero bytes.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestAlgorithms(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range algorithms {
		if seen[a.name] || strings.ContainsAny(a.name, " ()\n") {
			t.Errorf("algorithm name %q is a duplicate or cannot be in a line", a.name)
		}
		seen[a.name] = true
		h, err := a.new(vectors.Pattern(a.keySize), make([]byte, a.nonceSize))
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		if h.Size() != a.tagSize {
			t.Errorf("%s: Size = %d, want %d", a.name, h.Size(), a.tagSize)
		}
		if _, list := h.(interface{ Next() }); list != a.list {
			t.Errorf("%s: the hash has a method Next: %t, want %t", a.name, list, a.list)
		}
		if _, err := a.new(nil, make([]byte, a.nonceSize)); err == nil {
			t.Errorf("%s with a nil key: got no error", a.name)
		}
		if found, err := findAlgorithm(a.name); err != nil || found != a || !slices.Contains(algorithmNames(), a.name) {
			t.Errorf("findAlgorithm or algorithmNames does not find %s", a.name)
		}
		if !strings.Contains(sumCommand().Long, a.name) {
			t.Errorf("sum -h does not explain %s", a.name)
		}
		if _, bits, ok := strings.Cut(a.name, "-"); ok && bits != strconv.Itoa(8*a.tagSize) {
			t.Errorf("%s has a tag of %d bits, want the number in its name", a.name, 8*a.tagSize)
		}
	}
	if !seen[defaultAlgorithm] {
		t.Errorf("the default algorithm %s is not in the list", defaultAlgorithm)
	}
	broken := &algorithm{name: "broken", keySize: 16, new: func(_, _ []byte) (hash.Hash, error) { return nil, errors.New("broken") }}
	if _, err := sumFiles(nil, new(cli.Progress), &sumLine{algorithm: broken}, new(masterKey)); err == nil {
		t.Error("sumFiles with a failing algorithm: got no error")
	}
}

// TestEmptyName passes an empty file name, such as the value of an unset variable.
func TestEmptyName(t *testing.T) {
	workIn(t)
	for _, args := range [][]string{{"sum", "-k", "key", ""}, {"sum", "-k", "key", "-r", ""}, {"check", "-k", "key", ""}, {"seal", "-k", "key", ""}, {"seal", "-k", "key", "-suffix", ".s", ""}, {"open", "-k", "key", ""}} {
		r := runWith("", args...)
		if want := "unimac " + args[0] + ": '': "; r.Status != 1 || !strings.HasPrefix(r.Stderr, want) {
			t.Errorf("%q: got status %d, stderr %q, want 1, %q", args, r.Status, r.Stderr, want)
		}
	}
}
