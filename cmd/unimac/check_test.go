// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
)

func TestCheck(t *testing.T) {
	workIn(t)
	for _, name := range []string{"good", "bad", "gone", "other"} {
		writeFile(t, name, name)
	}
	line := func(args ...string) string {
		r := runWith("", append([]string{"sum", "-k", "key"}, args...)...)
		if r.Status != 0 {
			t.Fatal(r.Stderr)
		}
		return r.Stdout
	}
	good, bad, gone, other := line("good"), line("bad"), line("gone"), line("-a", "poly1305", "other")
	writeFile(t, "bad", "BAD")
	_, err := os.Open("missing")
	noFile := cli.Reason(err)
	if err := os.Remove("gone"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("dir", 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "list", good+other)
	writeFile(t, "empty", "")
	const garbage = "garbage\n"
	long := strings.Repeat("x", 2*maxLine) + "\n"

	for _, tt := range []struct {
		name, stdin    string
		args           string
		status         int
		stdout, stderr string
	}{
		{"good", good + other, "", 0, "good: OK\nother: OK\n", ""},
		{"list from -", good, "-", 0, "good: OK\n", ""},
		{"list from a file", "", "list", 0, "good: OK\nother: OK\n", ""},
		{"list from both", good, "list - list", 0, "good: OK\nother: OK\ngood: OK\ngood: OK\nother: OK\n", ""},
		{"quiet", good + other, "-q", 0, "", ""},
		{"--quiet", good + other, "--quiet", 0, "", ""},
		{"status", good + other, "-status", 0, "", ""},
		{"--status", good + other, "--status", 0, "", ""},
		{"wrong", good + bad + other, "", 1, "good: OK\nbad: FAILED\nother: OK\n", "unimac check: 1 tag is WRONG\n"},
		{"wrong, quiet", good + bad + bad, "-q", 1, "bad: FAILED\nbad: FAILED\n", "unimac check: 2 tags are WRONG\n"},
		{"wrong, status", good + bad, "-status", 1, "", ""},
		{"unreadable", gone + good, "", 1, "good: OK\n", "unimac check: gone: " + noFile + "\nunimac check: 1 file could not be read\n"},
		{"unreadable, status", gone + good, "-status", 1, "", "unimac check: gone: " + noFile + "\n"},
		{"directory", strings.Replace(good, "good", "dir", 1) + good, "", 1, "good: OK\n", "unimac check: dir: is a directory\nunimac check: 1 file could not be read\n"},
		{"malformed", garbage + good + "\n" + other, "", 1, "good: OK\nother: OK\n", "unimac check: -:1: not a line of unimac sum\nunimac check: -:3: not a line of unimac sum\nunimac check: 2 lines are malformed\n"},
		{"malformed, status", garbage + good, "-status", 1, "", ""},
		{"unknown algorithm", strings.Replace(good, "umac-128", "md\x1b5", 1) + good, "", 1, "good: OK\n", "unimac check: -:1: algorithm \"md\\x1b5\" is unknown\nunimac check: 1 line is malformed\n"},
		{"too long", long + good + long + long[1:], "", 1, "good: OK\n", "unimac check: -:1: line too long\nunimac check: -:3: line too long\nunimac check: -:4: line too long\nunimac check: 3 lines are malformed\n"},
		{"too long at the end", good + strings.TrimSuffix(long, "\n"), "", 1, "good: OK\n", "unimac check: -:2: line too long\nunimac check: 1 line is malformed\n"},
		{"empty list", "", "", 1, "", "unimac check: -: no valid line of unimac sum\n"},
		{"empty list, status", "", "-status", 1, "", ""},
		{"only garbage", garbage, "", 1, "", "unimac check: -:1: not a line of unimac sum\nunimac check: -: no valid line of unimac sum\nunimac check: 1 line is malformed\n"},
		{"not a list", strings.Repeat(garbage, 500), "", 1, "", "unimac check: -:10: not a line of unimac sum\nunimac check: -: no line of unimac sum among the first 10 lines\nunimac check: 10 lines are malformed"},
		{"much garbage", good + strings.Repeat(garbage, 500), "-status", 1, "", ""},
		{"empty list and valid list", "", "empty list", 1, "good: OK\nother: OK\n", "unimac check: empty: no valid line of unimac sum\n"},
		{"missing list", "", "missing list", 1, "good: OK\nother: OK\n", "unimac check: missing: " + noFile + "\nunimac check: 1 file could not be read\n"},
		{"standard input twice", good, "- -", 1, "good: OK\n", "unimac check: -: standard input is already in use\nunimac check: 1 file could not be read\n"},
		{"file - in a list from -", strings.Replace(good, "good", "-", 1) + good, "", 1, "good: OK\n", "unimac check: -: standard input is already in use\nunimac check: 1 file could not be read\n"},
		{"one algorithm", good + other, "-a umac-128", 1, "good: OK\n", "unimac check: -:2: algorithm is poly1305, want umac-128\nunimac check: 1 line is malformed\n"},
		{"one algorithm, only its lines", other, "-a poly1305", 0, "other: OK\n", ""},
		{"tag of another file", strings.Replace(good, "good", "other", 1), "", 1, "other: FAILED\n", "unimac check: 1 tag is WRONG\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"check", "-k", "key"}, strings.Fields(tt.args)...)
			runWith(tt.stdin, args...).Want(t, tt.status, tt.stdout, tt.stderr)
		})
	}
}

// knownLines are lines for testKey and a file with 3000 copies of "content". They check
// that lists remain valid in later versions. The poly1305 tag was computed with
// Python's integers and hashlib.blake2b.
const knownLines = `poly1305 (file) nonce=000102030405060708090a0b0c0d0e0f named-tag=a100b5c8b22e7b3ef7e78b683de97b32 key=9c0ff690
multimixer-512 (file) named-tag=be2f5dac55b238095d41283c71a932d7f178721533ac73229da611a1ed0b6c93dab187edfd99df484aee64b853a6a609e2ac5c94624bc2584ff088fa75f9e99c key=9c0ff690
multimixer-256 (file) named-tag=1947835040e5ef89bf52b10f061e31b368e3ea539b08318856a59fb91b0211e5 key=9c0ff690
multimixer-128 (file) named-tag=12dc5f288bb45e3280e4793a976ad640 key=9c0ff690
`

func TestCheckKnownLines(t *testing.T) {
	workIn(t)
	writeFile(t, "file", strings.Repeat("content", 3000))
	runWith(knownLines, "check", "-k", "key").Want(t, 0, strings.Repeat("file: OK\n", 4), "")
	runWith(knownLines, "check", "-k", "key", "-status").Want(t, 0, "", "")
	runWith(knownLines, "check", "-k", "key", "-a", "multimixer-256").Want(t, 1, "file: OK\n", "unimac check: -:1: algorithm is poly1305, want multimixer-256\n"+
		"unimac check: -:2: algorithm is multimixer-512, want multimixer-256\nunimac check: -:4: algorithm is multimixer-128, want multimixer-256\nunimac check: 3 lines are malformed\n")
}

// TestCheckNoticesEveryBit flips each bit of the nonce, the tag and the key identifier.
func TestCheckNoticesEveryBit(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.name, func(t *testing.T) { checkNoticesEveryBit(t, a.name) })
	}
}

func checkNoticesEveryBit(t *testing.T, algorithm string) {
	workIn(t)
	writeFile(t, "file", "content")
	line := runWith("", "sum", "-k", "key", "-a", algorithm, "file").Stdout
	list := []byte(line)
	for at := strings.Index(line, "=") + 1; at < len(list)-1; at++ {
		if line[at] == ' ' {
			at += strings.IndexByte(line[at:], '=') + 1
		}
		for bit := range 4 {
			if testing.Short() && bit != at%4 {
				continue
			}
			const digits = "0123456789abcdef"
			changed := []byte(line)
			changed[at] = digits[strings.IndexByte(digits, line[at])^1<<bit]
			r := runWith(string(changed), "check", "-k", "key", "-a", algorithm)
			if r.Status != 1 || !strings.HasPrefix(r.Stdout, "file: FAILED") {
				t.Fatalf("%q: got status %d, stdout %q, stderr %q, want status 1 and FAILED", changed, r.Status, r.Stdout, r.Stderr)
			}
		}
	}
	for _, key := range []string{"1" + testKey[1:], testKey[:63] + "e\n"} {
		writeFile(t, "key", key)
		runWith(line, "check", "-k", "key", "-a", algorithm).Want(t, 1, "file: FAILED, made with another key: 9c0ff690, and yours is ", "unimac check: 1 line was made with another key\n")
	}
}

// TestCheckNames swaps the names of two files together with their contents, in lists of
// every algorithm.
func TestCheckNames(t *testing.T) {
	workIn(t)
	for _, a := range algorithms {
		writeFile(t, "a", "one")
		writeFile(t, "b", "two")
		list := runWith("", "sum", "-k", "key", "-a", a.name, "a", "b").Stdout
		runWith(list, "check", "-k", "key", "-a", a.name, "-status").Want(t, 0, "", "")
		writeFile(t, "a", "two")
		writeFile(t, "b", "one")
		swapped := strings.NewReplacer("(a", "(b", "(b", "(a", " b)", " a)").Replace(list)
		r := runWith(swapped, "check", "-k", "key", "-a", a.name)
		if r.Status != 1 || strings.Contains(r.Stdout, "OK") || strings.Contains(r.Stderr, "malformed") {
			t.Errorf("%s: got %+v, want status 1 and no OK", a.name, r)
		}
	}
}

// TestCheckEncodings checks lists in the encodings that PowerShell and Windows editors
// write.
func TestCheckEncodings(t *testing.T) {
	workIn(t)
	writeFile(t, "file", "content")
	line := runWith("", "sum", "-k", "key", "file").Stdout
	wide := strings.Join(strings.Split(line, ""), "\x00")
	for _, tt := range []struct{ list, want string }{
		{"\xff\xfe" + wide + "\x00", errUTF16.Error()},
		{"\xfe\xff\x00" + wide, errUTF16.Error()},
		{"\xef\xbb\xbf" + line, errBOM.Error()},
	} {
		writeFile(t, "list", tt.list)
		runWith("", "check", "-k", "key", "list").Want(t, 1, "", "unimac check: list: "+tt.want+"\nunimac check: 1 file could not be read\n")
	}
}

// TestCheckReadError checks a list whose reading fails before its end.
func TestCheckReadError(t *testing.T) {
	workIn(t)
	writeFile(t, "file", "content")
	line := runWith("", "sum", "-k", "key", "file").Stdout
	r := runReader(clitest.BrokenReader(line+line[:20]), "check", "-k", "key")
	r.Want(t, 1, "file: OK\n", "unimac check: -: broken\nunimac check: 1 file could not be read\n")
}

// TestCheckShortTags checks that short tags are accepted only with -a.
func TestCheckShortTags(t *testing.T) {
	workIn(t)
	writeFile(t, "file", "content")
	for _, a := range algorithms {
		line := runWith("", "sum", "-k", "key", "-a", a.name, "file").Stdout
		status := 0
		if a.tagSize < 16 {
			status = 1
		}
		if r := runWith(line, "check", "-k", "key"); r.Status != status {
			t.Errorf("%s: got status %d, stderr %q, want status %d", a.name, r.Status, r.Stderr, status)
		}
		runWith(line, "check", "-k", "key", "-a", a.name).Want(t, 0, "file: OK\n", "")
	}
}

// TestCheckStops checks a list that guesses tags.
func TestCheckStops(t *testing.T) {
	workIn(t)
	writeFile(t, "file", "content")
	line, _, _ := strings.Cut(runWith("", "sum", "-k", "key", "-a", "umac-32", "file").Stdout, " named-tag=")
	var list strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&list, "%s named-tag=%08x key=9c0ff690\n", line, i)
	}
	writeFile(t, "list", list.String())
	r := runWith("", "check", "-k", "key", "-a", "umac-32", "list", "list")
	if n := strings.Count(r.Stdout, "FAILED\n"); r.Status != 1 || n != 1000 || strings.Count(r.Stderr, "stopped after 1000 wrong tags\n") != 1 {
		t.Errorf("got status %d, %d wrong tags, stderr %q, want status 1, 1000 wrong tags and one message", r.Status, n, r.Stderr)
	}
}

func TestCheckIgnoreMissing(t *testing.T) {
	workIn(t)
	writeFile(t, "here", "1")
	writeFile(t, "gone", "2")
	list := runWith("", "sum", "-k", "key", "here", "gone").Stdout
	os.Remove("gone")
	runWith(list, "check", "-k", "key", "--ignore-missing").Want(t, 0, "here: OK\n", "")
	os.Remove("here")
	runWith(list, "check", "-k", "key", "--ignore-missing").Want(t, 1, "", "unimac check: no file was verified\n")
}

// TestZeroEnds checks that sum -0 ends lines with zero bytes and that check -0 accepts them.
func TestZeroEnds(t *testing.T) {
	workIn(t)
	writeFile(t, "a b", "1")
	writeFile(t, "c", "2")
	r := runWith("", "sum", "-k", "key", "-0", "a b", "c")
	if r.Status != 0 || strings.Count(r.Stdout, "\x00") != 2 || strings.Contains(r.Stdout, "\n") {
		t.Errorf("got %+v, want two lines that end with zero bytes", r)
	}
	runWith(r.Stdout, "check", "-k", "key", "-0").Want(t, 0, "a b: OK\nc: OK\n", "")
	const needs = "unimac check: -:1: not a line of unimac sum; check needs -0 for lists of sum -0 only"
	runWith(r.Stdout, "check", "-k", "key").Want(t, 1, "", needs)
	r = runWith("", "sum", "-k", "key", "a b", "c")
	runWith(r.Stdout, "check", "-k", "key", "-0").Want(t, 1, "", needs)
}

// TestSumFolders checks sum -r.
func TestSumFolders(t *testing.T) {
	workIn(t)
	if err := os.MkdirAll(filepath.Join("dir", "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dir/b", "dir/a", "dir/sub/c", "alone"} {
		writeFile(t, filepath.FromSlash(name), name)
	}
	os.Symlink("/", filepath.Join("dir", "way out"))
	runWith("", "sum", "-k", "key", "dir").Want(t, 1, "", "unimac sum: dir: is a directory\n")
	r := runWith("", "sum", "-k", "key", "-r", "dir", "alone", "none")
	if r.Status != 1 || !strings.HasPrefix(r.Stderr, "unimac sum: none: ") {
		t.Errorf("got %+v, want status 1 and a message about none", r)
	}
	runWith(r.Stdout, "check", "-k", "key").Want(t, 0, "dir/a: OK\ndir/b: OK\ndir/sub/c: OK\nalone: OK\n", "")
	runWith(runWith("", "sum", "-k", "key", "-r", "-a", "multimac-256", "dir").Stdout, "check", "-k", "key").Want(t, 0, ": OK", "")
}

// TestSumOddFolders checks sum -r for a link to a folder, an empty folder, and a folder
// with a file named "-".
func TestSumOddFolders(t *testing.T) {
	workIn(t)
	for _, name := range []string{"dir", "empty", "dash"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join("dir", "a"), "1")
	writeFile(t, filepath.Join("dash", "-"), "2")
	for _, algorithm := range []string{"umac-128", "multimac-256"} {
		runWith("", "sum", "-k", "key", "-r", "-a", algorithm, "empty").Want(t, 1, "", "unimac sum: no file in empty\n")
	}
	err := os.Symlink("dir", "link")
	// Wine creates no link and returns no error.
	if info, _ := os.Lstat("link"); err == nil && info != nil && info.Mode()&os.ModeSymlink != 0 {
		list := runWith("", "sum", "-k", "key", "-r", "link").Stdout
		runWith(list, "check", "-k", "key").Want(t, 0, "link/a: OK\n", "")
	} else if runtime.GOOS != "windows" {
		t.Fatalf("the test created no link: %v", err)
	}
	t.Chdir("dash")
	key := filepath.Join("..", "key")
	list := runWith("standard input", "sum", "-k", key, "-r", ".").Stdout
	runWith(list, "check", "-k", key).Want(t, 0, "./-: OK\n", "")
}

// TestCheckVisible checks names that would change the appearance of a verdict.
func TestCheckVisible(t *testing.T) {
	workIn(t)
	for _, name := range []string{"a\u202eb", "a\u0085b", "a\u009b2Jb", "a\u2066b"} {
		writeFile(t, name, "content")
		list := runWith("", "sum", "-k", "key", name).Stdout
		for _, change := range []func(){func() {}, func() { writeFile(t, name, "changed") }, func() { os.Remove(name) }} {
			change()
			r := runWith(list, "check", "-k", "key")
			if strings.Contains(r.Stdout+r.Stderr, name) || !strings.Contains(r.Stdout+r.Stderr, `a\u`) {
				t.Errorf("%q: got %+v, want the name with escapes", name, r)
			}
		}
	}
}
