// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/vectors"
	"github.com/unimac/unimac/multimac"
)

// TestSumIsMultiMAC computes the tag by package multimac, under keys that are made
// as the usage says.
func TestSumIsMultiMAC(t *testing.T) {
	workIn(t)
	master, err := hex.DecodeString(strings.TrimSpace(testKey))
	if err != nil {
		t.Fatal(err)
	}
	h, err := blake2b.New512(master)
	if err != nil {
		t.Fatal(err)
	}
	h.Write([]byte("multimac-256 with names"))
	keys := h.Sum(nil)
	k, err := multimac.NewKey(keys[:32], keys[32:])
	if err != nil {
		t.Fatal(err)
	}
	long := string(vectors.Pattern(300_000))
	writeFile(t, "long", long)
	writeFile(t, "a b", "short")
	writeFile(t, "empty", "")
	for _, tt := range []struct {
		files, contents []string
		names           string
	}{
		{nil, []string{"stdin"}, "-"},
		{[]string{"empty"}, []string{""}, "empty"},
		{[]string{"long", "a b", "empty", "-", "a b"}, []string{long, "short", "", "stdin", "short"}, `long a\x20b empty - a\x20b`},
		{[]string{"empty", "empty"}, []string{"", ""}, "empty empty"},
	} {
		var inputs [][]byte
		for i, content := range tt.contents {
			name := "-"
			if tt.files != nil {
				name = tt.files[i]
			}
			inputs = append(inputs, named(name, ""), []byte(content))
		}
		line := fmt.Sprintf("multimac-256 (%s) named-tag=%x key=9c0ff690\n", tt.names, k.Sum(nil, inputs...))
		args := append([]string{"sum", "-k", "key", "-a", "multimac-256"}, tt.files...)
		runWith("stdin", args...).Want(t, 0, line, "")
		writeFile(t, "list", line)
		runWith("stdin", "check", "-k", "key", "list").Want(t, 0, tt.names+": OK\n", "")
	}
}

// TestCheckMultiMAC changes what a line names, and the line.
func TestCheckMultiMAC(t *testing.T) {
	workIn(t)
	fresh := func() {
		writeFile(t, "a", "one")
		writeFile(t, "b", "two")
		writeFile(t, "c", "")
	}
	fresh()
	line := runWith("", "sum", "-k", "key", "-a", "multimac-256", "a", "b", "c").Stdout
	runWith(line, "check", "-k", "key").Want(t, 0, "a b c: OK\n", "")
	for _, names := range []string{"b a c", "a b", "a b c c", "a c b", "a b c b", "b c"} {
		changed := strings.Replace(line, "a b c", names, 1)
		runWith(changed, "check", "-k", "key").Want(t, 1, names+": FAILED\n", "unimac check: 1 tag is WRONG\n")
	}
	for _, contents := range [][3]string{{"onet", "wo", ""}, {"one", "tw", "o"}, {"", "onetwo", ""}, {"one", "twO", ""}} {
		writeFile(t, "a", contents[0])
		writeFile(t, "b", contents[1])
		writeFile(t, "c", contents[2])
		runWith(line, "check", "-k", "key").Want(t, 1, "a b c: FAILED\n", "unimac check: 1 tag is WRONG\n")
	}
	fresh()
	os.Remove("b")
	_, err := os.Open("b")
	runWith(line, "check", "-k", "key").Want(t, 1, "", "unimac check: b: "+cli.Reason(err)+"\nunimac check: 1 file could not be read\n")
	runWith("", "sum", "-k", "key", "-a", "multimac-256", "a", "b", "c").Want(t, 1, "", "unimac sum: b: "+cli.Reason(err)+"\n")
	runWith("", "sum", "-k", "key", "-a", "multimac-256", "a", ".").Want(t, 1, "", "unimac sum: .: is a directory\n")
	runWith("", "sum", "-k", "key", "-a", "multimac-256", "-", "-").Want(t, 1, "", "unimac sum: -: standard input is already in use\n")
	runReader(&clitest.BrokenReader{Data: "x"}, "sum", "-k", "key", "-a", "multimac-256", "a", "-").Want(t, 1, "", "unimac sum: -: broken\n")
}

func TestMultiMACOddNames(t *testing.T) {
	workIn(t)
	args := []string{"sum", "-k", "key", "-a", "multimac-256", "--"}
	for _, name := range oddNames() {
		path := "." + string(filepath.Separator) + name
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	r := runWith("", args...)
	r.Want(t, 0, "multimac-256 (", "")
	if strings.Count(r.Stdout, "\n") != 1 || strings.Count(r.Stdout, " ") != len(oddNames())+2 {
		t.Errorf("not one line with a space between names: %q", r.Stdout)
	}
	runWith(r.Stdout, "check", "-k", "key").Want(t, 0, r.Stdout[len("multimac-256 ("):strings.LastIndex(r.Stdout, ") named-tag=")]+": OK\n", "")
}
