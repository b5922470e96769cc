// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/dispatch"
)

func TestVersion(t *testing.T) {
	r := runWith("", "version")
	r.Want(t, 0, "unimac (devel)\n"+runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH, "")
	for _, pkg := range dispatch.Packages() {
		if want := pkg + ": " + dispatch.InUse(pkg) + "\n"; !strings.Contains(r.Stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, r.Stdout)
		}
	}
	runWith("", "version", "now").Want(t, 2, "", "1 argument, want none")
}

// TestManPage compares unimac.1 with the generated manual page. To update the file,
// run:
//
//	go run ./cmd/unimac man >cmd/unimac/unimac.1
func TestManPage(t *testing.T) {
	r := runWith("", "man")
	kept, err := os.ReadFile("unimac.1")
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != 0 || r.Stdout != strings.ReplaceAll(string(kept), "\r\n", "\n") {
		t.Error("unimac.1 is out of date; run: go run ./cmd/unimac man >cmd/unimac/unimac.1")
	}
	root().Walk(func(path []string, cmd *cli.Command, flags *flag.FlagSet) {
		_, section, ok := strings.Cut(r.Stdout, "\n.SH "+strings.ToUpper(strings.Join(path[1:], " "))+"\n")
		if cmd.New == nil {
			return
		}
		if !ok {
			t.Errorf("the manual page has no section for %v", path)
		}
		section, _, _ = strings.Cut(section, "\n.SH ")
		flags.VisitAll(func(f *flag.Flag) {
			if want := `\fB\-` + strings.ReplaceAll(f.Name, "-", `\-`) + `\fR`; !strings.Contains(section, want) {
				t.Errorf("%v: the section lacks %s", path, want)
			}
		})
	})
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	cmd := exec.Command(groff, "-man", "-ww", "-Tutf8")
	cmd.Stdin = strings.NewReader(r.Stdout)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil || stderr.Len() > 0 || len(out) == 0 {
		t.Errorf("groff: got %d bytes, error %v, stderr %q, want output without messages", len(out), err, &stderr)
	}
}

// complete returns the completions that bash offers for the last of words.
func complete(t *testing.T, script string, words ...string) []string {
	t.Helper()
	for i, word := range words {
		words[i] = cli.Quote(word)
	}
	cmd := exec.Command("bash", "-c", fmt.Sprintf("source %s\nCOMP_WORDS=(%s)\nCOMP_CWORD=%d\n_unimac\nprintf '%%s\\n' \"${COMPREPLY[@]}\"", script, strings.Join(words, " "), len(words)-1))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("completing %q: %v: %s", words, err, out)
	}
	return strings.Fields(string(out))
}

// completes reports whether script completes flag f of the command at path.
func completes(shell, script string, path []string, f string) bool {
	var begin, end, want string
	switch shell {
	case "bash":
		begin, end, want = fmt.Sprintf("\n\t%q) commands=", strings.Join(path, " ")), "\" ;;\n", " -"+f+" "
	case "zsh":
		begin, end, want = fmt.Sprintf("\n\t%q)\n", strings.Join(path, " ")), "\n\t\t;;\n", " '-"+f+":"
	case "fish":
		here := "'__fish_seen_subcommand_from " + strings.Join(path[1:], "; and __fish_seen_subcommand_from ") + "'"
		if len(path) == 1 {
			here = "'__fish_use_subcommand'"
		}
		return strings.Contains(script, "\ncomplete -c unimac -n "+here+" -o "+f+" ")
	}
	_, part, ok := strings.Cut(script, begin)
	part, _, _ = strings.Cut(part, end)
	return ok && strings.Contains(part+" ", want)
}

// TestCompletion checks that each script completes every flag of every command.
func TestCompletion(t *testing.T) {
	workIn(t)
	flagsOf := map[string][]string{}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		r := runWith("", "completion", shell)
		r.Want(t, 0, "unimac", "")
		root().Walk(func(path []string, _ *cli.Command, flags *flag.FlagSet) {
			if !strings.Contains(r.Stdout, path[len(path)-1]) {
				t.Errorf("%s: the script lacks %v", shell, path)
			}
			names := []string{"-h"}
			flags.VisitAll(func(f *flag.Flag) {
				names = append(names, "-"+f.Name)
				if !completes(shell, r.Stdout, path, f.Name) {
					t.Errorf("%s: the script does not complete -%s of %v", shell, f.Name, path)
				}
				if completes(shell, r.Stdout, path, f.Name+"x") {
					t.Errorf("%s: the script completes -%sx of %v, want no such flag", shell, f.Name, path)
				}
			})
			flagsOf[strings.Join(path, " ")] = names
		})
		script := writeFile(t, "script."+shell, r.Stdout)
		if program, err := exec.LookPath(shell); err == nil {
			if out, err := exec.Command(program, "-n", script).CombinedOutput(); err != nil {
				t.Errorf("%s -n: %v: %s", shell, err, out)
			}
		}
	}
	runWith("", "completion", "tcsh").Want(t, 2, "", "no completion for \"tcsh\", want bash, zsh or fish")
	runWith("", "completion").Want(t, 2, "", "0 arguments, want one shell")

	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("bash is not installed")
	}
	if strings.Contains(runWith("", "completion", "bash").Stdout, "mapfile") {
		t.Error("the script uses mapfile, which bash 3.2 of macOS lacks")
	}
	script, err := filepath.Abs("script.bash")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"unimac seal", "unimac ssh exec", "unimac ssh serve"} {
		got := complete(t, script, append(strings.Fields(name), "-")...)
		slices.Sort(got)
		slices.Sort(flagsOf[name])
		if !slices.Equal(got, flagsOf[name]) {
			t.Errorf("%s: got completions %q, want %q", name, got, flagsOf[name])
		}
	}
	for _, tt := range []struct{ words, want []string }{
		{[]string{"unimac", "ssh", "exec", "-ac"}, []string{"-accept-new"}},
		{[]string{"unimac", "se"}, []string{"seal", "selftest"}},
		{[]string{"unimac", "ssh", ""}, []string{"serve", "exec"}},
		{[]string{"unimac", "ssh", "serve", "-re"}, []string{"-read-only"}},
		{[]string{"unimac", "sum", "-"}, []string{"-h", "-0", "-a", "-k", "-passphrase-file", "-progress", "-r"}},
		{[]string{"unimac", "sum", "ke"}, []string{"key"}},
		{[]string{"unimac", "sum", "-k", "ke"}, []string{"key"}},
		{[]string{"unimac", "sum", "-a", "mu"}, []string{"multimixer-512", "multimixer-256", "multimixer-128", "multimac-256"}},
		{[]string{"unimac", "check", "-k", "key", "--a", "po"}, []string{"poly1305"}},
		{[]string{"unimac", "seal", "-format", "c"}, []string{"cobblestone128", "cobblestone256", "chunkedchacha20poly1305", "chunkedaegis256x2"}},
		{[]string{"unimac", "bench", "-a", "ke"}, []string{"key"}},
		{[]string{"unimac", "ssh", "exec", "-cipher", "chacha"}, []string{"chacha20-poly1305@openssh.com"}},
		{[]string{"unimac", "ssh", "serve", "-mac", "umac-64"}, []string{"umac-64-etm@openssh.com", "umac-64@openssh.com"}},
		{[]string{"unimac", "completion", ""}, []string{"bash", "zsh", "fish"}},
		{[]string{"unimac", "sum", "seal", "ke"}, []string{"key"}},
	} {
		got := complete(t, script, slices.Clone(tt.words)...)
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: got completions %q, want %q", tt.words, got, tt.want)
		}
	}
}
