// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// TestEveryCommandExplainsItself checks that every command has all texts that the usage
// prints.
func TestEveryCommandExplainsItself(t *testing.T) {
	root().Walk(func(path []string, cmd *cli.Command, _ *flag.FlagSet) {
		r := runWith("", append(path[1:len(path):len(path)], "-h")...)
		r.Want(t, 0, "Usage: "+strings.Join(path, " "), "")
		if (cmd.New == nil) == (cmd.Sub == nil) {
			t.Errorf("%v: want exactly one of New and Sub", path)
		}
		if len(cmd.Examples) == 0 {
			t.Errorf("%v: want an example", path)
		}
		for _, example := range cmd.Examples {
			if !strings.Contains(r.Stdout, "\n\t"+example+"\n") || !strings.Contains(example, strings.Join(path, " ")) {
				t.Errorf("%v: example %q is missing in the usage or names another command", path, example)
			}
		}
		if cmd.Long == "" || len(path) > 1 && cmd.Short == "" {
			t.Errorf("%v: want Long, and Short for a subcommand", path)
		}
		for _, line := range strings.Split(r.Stdout, "\n") {
			if len([]rune(line)) > 100 && !strings.Contains(line, "(default ") {
				t.Errorf("%v: got a line of %d characters, want at most 100: %s", path, len([]rune(line)), line)
			}
		}
	})
}

// manualLine matches a line or code span of the manual that runs unimac.
var manualLine = regexp.MustCompile("(?m)^\t+(?:\\$ )?unimac (.*)$|`unimac\\s([^`]+)`")

// TestManual checks that the commands and flags in the manual exist, and that the
// manual lists every command.
func TestManual(t *testing.T) {
	flags := map[string]*flag.FlagSet{}
	root().Walk(func(path []string, _ *cli.Command, f *flag.FlagSet) { flags[strings.Join(path[1:], " ")] = f })
	root().Walk(func(path []string, cmd *cli.Command, _ *flag.FlagSet) {
		for _, example := range cmd.Examples {
			_, args, _ := strings.Cut(example, "unimac ")
			checkManual(t, "an example of "+strings.Join(path, " "), strings.Fields(args), flags)
		}
	})
	seen := 0
	for _, page := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "doc/choosing.md", "doc/packages.md", "doc/command.md", "doc/speed.md", "doc/ssh.md", "doc/xcrypto.md"} {
		data, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for _, m := range manualLine.FindAllStringSubmatch(text, -1) {
			checkManual(t, page, strings.Fields(m[1]+m[2]), flags)
			seen++
		}
		if page != "doc/command.md" {
			continue
		}
		for name := range flags {
			if name != "" && name != "ssh" && !strings.Contains(text, "| `unimac "+name) {
				t.Errorf("doc/command.md does not list unimac %s", name)
			}
		}
	}
	if seen < 15 {
		t.Errorf("found %d command lines, want at least 15", seen)
	}
}

// checkManual checks the arguments of one command line.
func checkManual(t *testing.T, page string, args []string, flags map[string]*flag.FlagSet) {
	t.Helper()
	if strings.HasPrefix(args[0], "-") || strings.HasSuffix(args[0], ":") { // an error message, not a command line
		return
	}
	if args[0] == "help" {
		args = args[1:]
	}
	name, rest := args[0], args[1:]
	if name == "ssh" && len(rest) > 0 {
		name, rest = "ssh "+rest[0], rest[1:]
	}
	if flags[name] == nil {
		t.Errorf("%s: unimac %s is not a command", page, name)
		return
	}
	for len(rest) > 0 {
		arg := strings.Trim(rest[0], "[]")
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			return // flags come before other arguments
		}
		rest = rest[1:]
		arg = strings.TrimLeft(arg, "-")
		switch f := flags[name].Lookup(arg); {
		case arg == "h":
		case f == nil:
			t.Errorf("%s: unimac %s has no flag -%s", page, name, arg)
		case !isBool(f) && len(rest) > 0:
			rest = rest[1:] // value of the flag
		}
	}
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
