// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/vectors"
)

// Sizes in bytes of the parts of a stream with 64 KiB chunks.
const (
	streamHeader = 64
	streamChunk  = 64<<10 + 32
)

// wantFiles fails the test unless the current directory contains exactly these names.
func wantFiles(t *testing.T, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("the folder contains %q, want %q", got, want)
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: got %d bytes, error %v, want other content of %d bytes", path, len(got), err, len(want))
	}
}

func TestSealOpen(t *testing.T) {
	workIn(t)
	for _, n := range []int{0, 1, 1000, 64 << 10, 64<<10 + 1, 1<<20 + 5} {
		content := string(vectors.Pattern(n))
		writeFile(t, "file", content)
		chunks := max(1, (n+64<<10-1)/(64<<10))
		runWith("", "seal", "-k", "key", "-o", "sealed", "file").Want(t, 0, "", "")
		runWith("", "open", "-k", "key", "-o", "opened", "sealed").Want(t, 0, "", "")
		wantContent(t, "opened", content)
		wantFiles(t, "file", "key", "opened", "sealed")
		for _, name := range []string{"sealed", "opened"} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if runtime.GOOS != "windows" && info.Mode() != 0o600 {
				t.Errorf("%s: got mode %v, want 0600", name, info.Mode())
			}
			if want := int64(streamHeader + n + 32*chunks); name == "sealed" && info.Size() != want {
				t.Errorf("sealed: got %d bytes, want %d", info.Size(), want)
			}
			os.Remove(name)
		}
		for _, args := range [][]string{{}, {"-"}, {"-o", "-"}, {"-o", "-", "-"}} {
			r := runWith(content, append([]string{"seal", "-k", "key"}, args...)...)
			if r.Status != 0 || r.Stderr != "" {
				t.Errorf("seal: got status %d, stderr %q, want 0 and no message", r.Status, r.Stderr)
			}
			r = runWith(r.Stdout, append([]string{"open", "-k", "key"}, args...)...)
			if r.Status != 0 || r.Stderr != "" || r.Stdout != content {
				t.Errorf("open: got status %d, stderr %q, %d bytes, want 0, no message and %d bytes", r.Status, r.Stderr, len(r.Stdout), len(content))
			}
		}
	}
}

// TestSealIsStream opens sealed files with package stream, under the key that the usage
// text describes.
func TestSealIsStream(t *testing.T) {
	workIn(t)
	r := runWith("content", "seal", "-k", "key")
	master, err := hex.DecodeString(strings.TrimSpace(testKey))
	if err != nil {
		t.Fatal(err)
	}
	h, err := blake2b.New256(master)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(h, "unimac stream v2")
	s, err := stream.NewReader(strings.NewReader(r.Stdout), h.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(s); err != nil || string(got) != "content" {
		t.Errorf("package stream: got %q, error %v, want %q", got, err, "content")
	}
}

func TestOpenDamaged(t *testing.T) {
	workIn(t)
	writeFile(t, "other", "1"+testKey[1:])
	content := string(vectors.Pattern(150_000)) // three chunks
	sealed := runWith(content, "seal", "-k", "key").Stdout
	again := runWith(content, "seal", "-k", "key").Stdout
	const (
		noSeal   = "not in the format unimacv2, or damaged in its first bytes; -format opens others"
		wrongKey = "wrong key or -context, or the file is damaged at its beginning"
		nothing  = "damaged: the key is right, but the content was changed or cut short at its beginning"
		noEnd    = "damaged: the end is missing"
		noHeader = noEnd + ", or this is not a sealed file"
		middle   = "damaged: the key is right, but what follows the first 65536 bytes of content was changed or cut short"
		late     = "damaged: the key is right, but what follows the first 131072 bytes of content was changed or cut short"
	)
	flip := func(at int) string {
		b := []byte(sealed)
		b[at] ^= 0x10
		return string(b)
	}
	first, second, third := streamHeader, streamHeader+streamChunk, streamHeader+2*streamChunk
	for name, tt := range map[string]struct {
		file, key, want string
		opened          int // number of bytes written to standard output
	}{
		"empty":               {"", "key", noHeader, 0},
		"another file":        {strings.Repeat("text", 100), "key", noSeal, 0},
		"wrong key":           {sealed, "other", wrongKey, 0},
		"magic changed":       {flip(0), "key", noSeal, 0},
		"chunk size changed":  {flip(7), "key", noSeal, 0},
		"salt changed":        {flip(9), "key", wrongKey, 0},
		"first chunk changed": {flip(first), "key", nothing, 0},
		"first tag changed":   {flip(second - 1), "key", nothing, 0},
		"second changed":      {flip(second), "key", middle, 65536},
		"last changed":        {flip(third), "key", late, 131072},
		"last tag changed":    {flip(len(sealed) - 1), "key", late, 131072},
		"within the header":   {sealed[:20], "key", noHeader, 0},
		"commitment changed":  {flip(first - 1), "key", wrongKey, 0},
		"no chunk":            {sealed[:first], "key", noEnd, 0},
		"within the first":    {sealed[:first+1000], "key", nothing, 0},
		"one chunk":           {sealed[:second], "key", noEnd, 65536},
		"within the second":   {sealed[:second+1000], "key", middle, 65536},
		"two chunks":          {sealed[:third], "key", noEnd, 131072},
		"within a tag":        {sealed[:third+20], "key", noEnd, 131072},
		"one byte short":      {sealed[:len(sealed)-1], "key", late, 131072},
		"one byte more":       {sealed + "x", "key", late, 131072},
		"twice":               {sealed + sealed, "key", late, 131072},
		"chunks exchanged":    {sealed[:first] + sealed[second:third] + sealed[first:second] + sealed[third:], "key", nothing, 0},
		"a chunk left out":    {sealed[:second] + sealed[third:], "key", middle, 65536},
		"a chunk twice":       {sealed[:second] + sealed[first:], "key", middle, 65536},
		"another's chunk":     {sealed[:second] + again[second:], "key", middle, 65536},
		"another's header":    {again[:first] + sealed[first:], "key", nothing, 0},
	} {
		t.Run(name, func(t *testing.T) {
			writeFile(t, "sealed", tt.file)
			runWith("", "open", "-k", tt.key, "-o", "opened", "sealed").Want(t, 1, "", "unimac open: sealed: "+tt.want+"\n")
			wantFiles(t, "key", "other", "sealed")

			// The existing file stays.
			writeFile(t, "opened", "before")
			runWith("", "open", "-k", tt.key, "-f", "-o", "opened", "sealed").Want(t, 1, "", "unimac open: sealed: "+tt.want+"\n")
			wantContent(t, "opened", "before")
			os.Remove("opened")

			note := ""
			if tt.opened > 0 {
				note = "unimac open: standard output: incomplete, do not use it\n"
			}
			r := runWith(tt.file, "open", "-k", tt.key)
			r.Want(t, 1, r.Stdout, "unimac open: -: "+tt.want+"\n"+note)
			if r.Stdout != content[:tt.opened] {
				t.Errorf("got %d bytes on standard output, want %d", len(r.Stdout), tt.opened)
			}
		})
	}
}

// TestOpenNoticesEveryByte changes each byte of a short file.
func TestOpenNoticesEveryByte(t *testing.T) {
	workIn(t)
	sealed := []byte(runWith("content", "seal", "-k", "key").Stdout)
	for i := range sealed {
		sealed[i] ^= 1
		r := runReader(bytes.NewReader(sealed), "open", "-k", "key")
		sealed[i] ^= 1
		if r.Status != 1 || r.Stdout != "" || !strings.Contains(r.Stderr, "damaged") {
			t.Errorf("byte %d changed: got status %d, stdout %q, stderr %q, want 1 and a message", i, r.Status, r.Stdout, r.Stderr)
		}
	}
}

// TestSealingOutputs checks outputs that exist or cannot be created. seal and open must
// behave alike.
func TestSealingOutputs(t *testing.T) {
	dir := workIn(t)
	sealed := runWith("content", "seal", "-k", "key").Stdout
	for _, command := range []string{"seal", "open"} {
		fresh := func() {
			writeFile(t, "in", sealed)
			writeFile(t, "there", "before")
		}
		fresh()
		if err := os.MkdirAll("dir", 0o700); err != nil {
			t.Fatal(err)
		}
		_, openErr := os.Open(filepath.Join("none", "x"))
		noDir := cli.Reason(openErr)
		for _, tt := range []struct {
			args, stderr string
		}{
			{"-o there in", "there: exists already; -f overwrites it\n"},
			{"-o in in", "in: exists already; -f overwrites it\n"},
			{"-o dir in", "dir: is a directory\n"},
			{"-f -o dir in", "dir: is a directory\n"},
			{"-o none/x in", "none/x: " + noDir + "\n"},
			{"-o new none/x", "none/x: " + noDir + "\n"},
			{"-o new dir", "dir: is a directory\n"},
			{"-f -o there none/x", "none/x: " + noDir + "\n"},
		} {
			r := runWith("", append([]string{command, "-k", "key"}, strings.Fields(tt.args)...)...)
			r.Want(t, 1, "", "unimac "+command+": "+tt.stderr)
			wantContent(t, "there", "before")
			wantContent(t, "in", sealed)
			wantFiles(t, "dir", "in", "key", "there")
		}

		// With -f, the output may be another file or the input itself.
		for _, name := range []string{"there", "in"} {
			runWith("", command, "-k", "key", "-f", "-o", name, "in").Want(t, 0, "", "")
			got, err := os.ReadFile(name)
			if command == "open" && string(got) != "content" || command == "seal" && len(got) != len(sealed)+streamHeader+32 || err != nil {
				t.Errorf("%s to %s: got %q, error %v, want the result", command, name, got, err)
			}
		}
		wantFiles(t, "dir", "in", "key", "there")
		fresh()

		// A symbolic link leads to the file that is overwritten.
		if runtime.GOOS != "windows" {
			if err := os.Symlink(filepath.Join(dir, "there"), filepath.Join("dir", "link")); err != nil {
				t.Fatal(err)
			}
			link := filepath.Join("dir", "link")
			runWith("", command, "-k", "key", "-o", link, "in").Want(t, 1, "", "exists already")
			runWith("", command, "-k", "key", "-f", "-o", link, "in").Want(t, 0, "", "")
			if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link was replaced: %v", err)
			}
			if got, _ := os.ReadFile("there"); string(got) == "before" {
				t.Error("the target of the link was not written")
			}
			os.Remove(link)
		}
	}
}

// TestOutputAppearsLate creates a file with the output's name while seal runs.
func TestOutputAppearsLate(t *testing.T) {
	workIn(t)
	for _, force := range []bool{false, true} {
		c := &cli.Call{Stdout: &cli.Writer{W: io.Discard}, Stderr: io.Discard}
		out, err := c.CreateOutput("out", force)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(out, "after")
		writeFile(t, "out", "before")
		if err := out.Commit(); (err == nil) != force || !force && err != cli.ErrExists {
			t.Errorf("force = %t: Commit: got error %v, want nil if force is set, otherwise %v", force, err, cli.ErrExists)
		}
		wantContent(t, "out", map[bool]string{false: "before", true: "after"}[force])
		wantFiles(t, "key", "out")
		os.Remove("out")
	}
}

// TestOutputFails checks a file to which nothing can be written.
func TestOutputFails(t *testing.T) {
	workIn(t)
	sealed := runWith("content", "seal", "-k", "key").Stdout
	for command, prepare := range map[string]func(*sealing) func(io.Reader) (filter, io.Reader, error){
		"seal": func(j *sealing) func(io.Reader) (filter, io.Reader, error) { return j.prepareSeal },
		"open": func(j *sealing) func(io.Reader) (filter, io.Reader, error) { return j.prepareOpen },
	} {
		var stderr bytes.Buffer
		c := &cli.Call{Path: "unimac " + command, Stdin: strings.NewReader(sealed), Stdout: &cli.Writer{W: io.Discard}, Stderr: &stderr}
		j := &sealing{Call: c, secrets: secrets{keyPaths: []string{"key"}}, inPath: "-", outPath: "out"}
		status := j.run(func(in io.Reader) (filter, io.Reader, error) {
			work, rest, err := prepare(j)(in)
			return func(in io.Reader, out io.Writer) error {
				out.(*cli.Output).W = failingWriter{}
				return work(in, out)
			}, rest, err
		})
		if status != 1 || stderr.String() != "unimac "+command+": out: no space left\n" {
			t.Errorf("%s: got status %d, stderr %q, want 1 and a write error", command, status, &stderr)
		}
		wantFiles(t, "key")

		stderr.Reset()
		status = cli.Run(root(), []string{command, "-k", "key"}, strings.NewReader(sealed), failingWriter{}, &stderr)
		if status != 1 || stderr.String() != "unimac "+command+": standard output: no space left\n" {
			t.Errorf("%s to standard output: got status %d, stderr %q, want 1 and a write error", command, status, &stderr)
		}
	}
}

func TestSealingReadError(t *testing.T) {
	workIn(t)
	sealed := runWith(string(vectors.Pattern(200_000)), "seal", "-k", "key").Stdout
	for command, data := range map[string]string{"seal": "content", "open": sealed[:150_000]} {
		r := runReader(clitest.BrokenReader(data), command, "-k", "key", "-o", "out")
		r.Want(t, 1, "", "unimac "+command+": -: broken\n")
		wantFiles(t, "key")
	}
	if r := runReader(clitest.BrokenReader("content"), "seal", "-k", "key"); r.Status != 1 {
		t.Errorf("seal of a failing input: got status %d, want 1", r.Status)
	} else if o := runWith(r.Stdout, "open", "-k", "key"); o.Status != 1 {
		t.Errorf("open after a failed seal: got status %d, want 1", o.Status)
	}
	if !errors.Is(diagnosis(io.ErrNoProgress, "key", 0), io.ErrNoProgress) || diagnosis(nil, "key", 0) != nil {
		t.Error("diagnosis changes errors that are not from package stream")
	}
}

// TestSealFiles seals and opens several files with -suffix.
func TestSealFiles(t *testing.T) {
	workIn(t)
	writeFile(t, "pass", "secret words")
	for _, from := range [][]string{{"-k", "key"}, {"-passphrase-file", "pass"}} {
		args := func(command string, more ...string) []string {
			return slices.Concat([]string{command}, from, []string{"-suffix", ".sealed"}, more)
		}
		for _, name := range []string{"a", "b", "c d"} {
			writeFile(t, name, name)
		}
		runWith("", args("seal", "a", "b", "c d")...).Want(t, 0, "", "")
		for _, name := range []string{"a", "b", "c d"} {
			os.Remove(name)
		}
		runWith("", args("open", "a.sealed", "b.sealed", "c d.sealed")...).Want(t, 0, "", "")
		for _, name := range []string{"a", "b", "c d"} {
			wantContent(t, name, name)
			os.Remove(name + ".sealed")
		}
		// An error in one file does not affect the others.
		runWith("", args("seal", "a", "none", "b")...).Want(t, 1, "", "unimac seal: none: ")
		wantFiles(t, "a", "a.sealed", "b", "b.sealed", "c d", "key", "pass")
		runWith("", args("open", "a.sealed", "b.sealed")...).Want(t, 1, "", "unimac open: a: exists already; -f overwrites it\nunimac open: b: exists already; -f overwrites it\n")
		runWith("", args("open", "-f", "a", ".sealed", "-", "b.sealed")...).Want(t, 1, "",
			"unimac open: a: the name does not end with .sealed\nunimac open: .sealed: the name does not end with .sealed\nunimac open: -: the name does not end with .sealed\n")
		os.Remove("a.sealed")
		os.Remove("b.sealed")
	}
}

// TestDevices writes to devices.
func TestDevices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no /dev")
	}
	workIn(t)
	writeFile(t, "file", "content")
	runWith("", "seal", "-k", "key", "-o", "/dev/null", "file").Want(t, 0, "", "")
	runWith("", "seal", "-k", "key", "-o", "sealed", "file").Want(t, 0, "", "")
	for _, name := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		runWith("", "open", "-k", "key", "-o", name, "sealed").Want(t, 0, "content", "")
	}
	runWith("", "open", "-k", "key", "-o", "/dev/null", "sealed").Want(t, 0, "", "")
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("open replaced /dev/null: got mode %v, error %v, want a device", info.Mode(), err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		runWith("", "open", "-k", "key", "-o", "/dev/full", "sealed").Want(t, 1, "", "unimac open: /dev/full: "+syscall.ENOSPC.Error()+"\n")
	}
	wantFiles(t, "file", "key", "sealed")
}

// TestSuffixDash checks results whose name would mean standard output.
func TestSuffixDash(t *testing.T) {
	workIn(t)
	writeFile(t, "-x", "content")
	runWith("", "seal", "-k", "key", "-o", "-.sealed", "./-x").Want(t, 0, "", "")
	runWith("", "open", "-k", "key", "-suffix", ".sealed", "--", "-.sealed").Want(t, 0, "", "")
	wantContent(t, "-", "content")
	runWith("", "open", "-k", "key", "-suffix", ".sealed", "./-.sealed").Want(t, 1, "", "unimac open: ./-: exists already; -f overwrites it\n")
	runWith("", "open", "-k", "key", "-suffix", ".sealed", "--", "-.sealed").Want(t, 1, "", "unimac open: ."+string(os.PathSeparator)+"-: exists already; -f overwrites it\n")
	wantFiles(t, "-", "-.sealed", "-x", "key")
}
