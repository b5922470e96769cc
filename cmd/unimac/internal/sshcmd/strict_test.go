// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// TestStrict changes modes and owners of a file and of the folders above it.
func TestStrict(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no Unix file modes")
	}
	home := t.TempDir()
	dot := filepath.Join(home, "a", "dot")
	if err := os.MkdirAll(dot, 0o755); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, filepath.Join(dot, "keys"), "")
	link := filepath.Join(home, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	const me, other = 1000, 1001
	for _, tt := range []struct {
		name, path string
		mode       fs.FileMode
		owner      int
		ok         bool
	}{
		{"as it is", file, 0o600, me, true},
		{"readable", file, 0o644, me, true},
		{"of root", file, 0o644, 0, true},
		{"of another", file, 0o600, other, false},
		{"writable to the group", file, 0o660, me, false},
		{"writable to all", file, 0o602, me, false},
		{"sticky, but no folder", file, 0o666 | fs.ModeSticky, me, false},
		{"folder writable to all", dot, 0o777, me, false},
		{"folder writable to the group", filepath.Dir(dot), 0o775, me, false},
		{"folder of another", filepath.Dir(dot), 0o755, other, false},
		{"folder of root, sticky", dot, 0o777 | fs.ModeSticky, 0, true},
		{"sticky folder of another", dot, 0o777 | fs.ModeSticky, other, false},
		{"home writable to all", home, 0o777, me, false},
		{"above the home", filepath.Dir(home), 0o777, other, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, err := os.Stat(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			if tt.path != filepath.Dir(home) {
				if err := os.Chmod(tt.path, tt.mode); err != nil {
					t.Fatal(err)
				}
				defer os.Chmod(tt.path, before.Mode())
			}
			changed, err := os.Lstat(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			s := strictness{home: home, user: me, owner: func(info fs.FileInfo) (int, bool) {
				if os.SameFile(info, changed) {
					return tt.owner, true
				}
				return me, true
			}}
			opened, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{file, link} {
				if err := s.check(path, opened); (err == nil) != tt.ok {
					t.Errorf("%s: got error %v, want success %t", path, err, tt.ok)
				}
			}
			if s.owner = func(fs.FileInfo) (int, bool) { return 0, false }; s.check(file, opened) != nil {
				t.Error("check on a system without owners: got an error")
			}
		})
	}
}

// TestStrictReplaced passes information about another file than the one at the path, as if
// an attacker had changed a symbolic link on the path after the file was opened.
func TestStrictReplaced(t *testing.T) {
	home := t.TempDir()
	good, other := writeFile(t, filepath.Join(home, "good"), ""), writeFile(t, filepath.Join(home, "other"), "")
	opened, err := os.Stat(other)
	if err != nil {
		t.Fatal(err)
	}
	s := strictness{home: home, owner: func(fs.FileInfo) (int, bool) { return 0, false }}
	if err := s.check(good, opened); err == nil || !strings.Contains(err.Error(), "was replaced") {
		t.Error(err)
	}
}

// TestStrictServer makes a folder writable for all users while the server runs.
func TestStrictServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no Unix file modes")
	}
	s := startSite(t)
	s.exec("", s.address, "echo in").Want(t, 0, "in", "")
	if err := os.Chmod(filepath.Dir(s.authorized), 0o777); err != nil {
		t.Fatal(err)
	}
	s.exec("", s.address, "echo in").Want(t, 255, "", "unable to authenticate")
	r := runWith("", "ssh", "serve", "-authorized-keys", s.authorized, "-host-key", filepath.Join(t.TempDir(), "host"))
	r.Want(t, 1, "", ": mode 0777 lets others change it")
}

// TestAuthorizedKeysOfAnother requires root, because it changes the owner of a file.
func TestAuthorizedKeysOfAnother(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can change the owner of a file; TestStrict checks the rule without root")
	}
	s := startSite(t)
	if err := os.Chown(s.authorized, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	s.exec("", s.address, "echo in").Want(t, 255, "", "unable to authenticate")
}

// TestGrants checks the options of lines.
func TestGrants(t *testing.T) {
	key := writeKey(t, filepath.Join(t.TempDir(), "id")).PublicKey()
	line := string(ssh.MarshalAuthorizedKey(key))
	for _, tt := range []struct {
		lines []string
		want  string // allowed: t for terminals, f for forwarding
	}{
		{[]string{""}, "tf"},
		{[]string{"restrict "}, ""},
		{[]string{"restrict,pty "}, "t"},
		{[]string{"restrict,port-forwarding,agent-forwarding "}, "f"},
		{[]string{"no-pty "}, "f"},
		{[]string{"no-port-forwarding,no-X11-forwarding "}, "t"},
		{[]string{"no-agent-forwarding "}, "tf"},
		{[]string{"", "no-pty "}, "f"},
		{[]string{"no-pty ", "no-port-forwarding ", ""}, ""},
		{[]string{"", "tunnel=\"1\" "}, "nobody"},
	} {
		var data string
		for _, options := range tt.lines {
			data += options + line
		}
		got := "nobody"
		if g, err := parseKeys([]byte(data)).find(key); err == nil {
			got = ""
			for letter, forbidden := range []bool{g.noTerminal, g.noForwarding} {
				if !forbidden {
					got += "tf"[letter : letter+1]
				}
			}
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.lines, got, tt.want)
		}
	}
	// A line with a restriction that the server does not enforce admits nobody.
	for _, bad := range []string{
		`permitopen="a.org:80"`, `permitlisten="80"`, `command="true"`, `from="*"`, `expiry-time="20300101"`, `PERMITOPEN="a.org:80",no-pty`, `restrict,command="true"`,
		`principals="a"`, `verify-required`, `tunnel="1"`, `environment="A=B"`, `no-pty="x"`, `cert-authority`,
	} {
		if g, err := parseKeys([]byte(bad + " " + line)).find(key); err == nil || err.Error() != "a line with unknown options restricts the key" {
			t.Errorf("%s: got %v, error %v, want an error about unknown options", bad, g, err)
		}
	}
}
