// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestForbidden checks files that must not be read and folders that must not be
// written.
func TestForbidden(t *testing.T) {
	content, sealed := workInFaults(t)
	var as *syscall.SysProcAttr
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exe := self
	// begin returns a command that runs exe, in an emulator if necessary.
	begin := func(args ...string) *exec.Cmd {
		cmd := program(t, args...)
		at := slices.Index(cmd.Args, self)
		if cmd.Args[at] = exe; at == 0 {
			cmd.Path = exe
		}
		cmd.SysProcAttr = as
		return cmd
	}
	if os.Geteuid() == 0 {
		// Nothing is forbidden to root, so run the program as the user nobody in
		// another folder.
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		dir, err := os.MkdirTemp("", "unimac-nobody-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		for _, name := range []string{"content", "sealed", "there", "key", "list", "program"} {
			from := name
			if name == "program" {
				from = exe
			}
			data, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "dir"), 0o700); err != nil {
			t.Fatal(err)
		}
		err = filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
			return errors.Join(err, os.Chown(path, 65534, 65534))
		})
		if err != nil {
			t.Fatal(err)
		}
		exe = filepath.Join(dir, "program")
		if err := os.Chmod(exe, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
		// Some environments do not let nobody run programs, and some systems have no
		// such user.
		if err := begin("-h").Run(); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	for _, tt := range []struct {
		path  string
		mode  os.FileMode
		args  string
		wants string
	}{
		{"content", 0, "seal -k key -o out content", "seal: content: permission denied\n"},
		{"sealed", 0, "open -k key -o out sealed", "open: sealed: permission denied\n"},
		{"content", 0, "sum -k key content there", "sum: content: permission denied\n"},
		{"dir", 0, "sum -k key -r dir there", "sum: dir/: permission denied\n"},
		{"dir", 0, "sum -k key -r -a multimac-256 dir there", "sum: dir/: permission denied\n"},
		{"content", 0, "check -k key list", "check: content: permission denied\nunimac check: 1 file could not be read\n"},
		{"list", 0, "check -k key list", "check: list: permission denied\nunimac check: 1 file could not be read\n"},
		{"key", 0, "seal -k key -o out content", "seal: key: permission denied\n"},
		{"key", 0, "open -k key -o out sealed", "open: key: permission denied\n"},
		{"key", 0, "sum -k key content", "sum: key: permission denied\n"},
		{"key", 0, "check -k key list", "check: key: permission denied\n"},
		{"key", 0o644, "seal -k key -o out content", "seal: key: mode 0644 lets others use the key; run chmod 600\n"},
		{".", 0o500, "seal -k key -o out content", "seal: out: permission denied\n"},
		{".", 0o500, "seal -k key -f -o there content", "seal: there: permission denied\n"},
		{".", 0o500, "open -k key -f -o there sealed", "open: there: permission denied\n"},
		{".", 0o500, "keygen out", "keygen: out: permission denied\n"},
		{"dir", 0, "seal -k key -o dir/out content", "seal: dir/out: permission denied\n"},
		{"dir", 0, "keygen dir/out", "keygen: dir/out: permission denied\n"},
	} {
		info, err := os.Stat(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		os.Chmod(tt.path, tt.mode)
		r := finish(t, begin(strings.Fields(tt.args)...))
		os.Chmod(tt.path, info.Mode())
		if r.Status != 1 || r.Stderr != "unimac "+tt.wants {
			t.Errorf("%s: got status %d, stderr %q, want 1, %q", tt.args, r.Status, r.Stderr, "unimac "+tt.wants)
		}
		if strings.Contains(r.Stdout, "multimac-256") {
			t.Errorf("%s: got a line although a file could not be read: %s", tt.args, r.Stdout)
		}
		if as == nil {
			wantUntouched(t, content, sealed)
		} else {
			wantUntouched(t, content, sealed, "program")
		}
	}
}

// TestSpecialFiles checks outputs that are not regular files, inputs that cannot be
// read, and a key file as the output.
func TestSpecialFiles(t *testing.T) {
	content, sealed := workInFaults(t)
	if err := syscall.Mkfifo("fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	// Do not use a device of the system: if the test failed as root, it would replace
	// the device.
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for link, target := range map[string]string{"dangling": "nowhere", "to-dangling": "dangling", "loop": "loop", "to-dir": "dir", "to-key": "key", "to-fifo": "fifo"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	const (
		exists   = "exists already; -f overwrites it"
		noFile   = "is not a regular file; only regular files can be replaced"
		isDir    = "is a directory"
		isSecret = "contains the key or its passphrase, so it is not overwritten"
		noSuch   = "no such file or directory"
		nothing  = "is a symbolic link that leads to nothing; remove the link, or name the file itself"
		never    = "exists already; a key file is never overwritten"
	)
	for _, command := range []string{"seal", "open"} {
		if testing.Short() && command == "open" {
			continue // like seal
		}
		in := map[string]string{"seal": "content", "open": "sealed"}[command]
		for _, tt := range []struct{ name, without, with string }{
			{"there", exists, ""},
			{"dir", isDir, isDir},
			{"to-dir", isDir, isDir},
			{"socket", noFile, noFile},
			{"key", exists, isSecret},
			{"to-key", exists, isSecret},
			{"dangling", nothing, nothing},
			{"to-dangling", nothing, nothing},
			{"dir/none/out", noSuch, noSuch},
			{"there/out", "not a directory", "not a directory"},
		} {
			for flag, want := range map[string]string{"": tt.without, "-f ": tt.with} {
				if want == "" {
					continue
				}
				r := finish(t, program(t, strings.Fields(fmt.Sprintf("%s -k key %s-o %s %s", command, flag, tt.name, in))...))
				if want := fmt.Sprintf("unimac %s: %s: %s\n", command, tt.name, want); r.Status != 1 || r.Stderr != want {
					t.Errorf("%s to %s: got status %d, stderr %q, want 1, %q", command, tt.name, r.Status, r.Stderr, want)
				}
			}
		}
		// The error text for a loop of links differs between systems.
		runWith("", command, "-k", "key", "-f", "-o", "loop", in).Want(t, 1, "", "unimac "+command+": loop: ")
	}
	for _, name := range []string{"dir", "fifo", "dangling", "loop", "to-dir", "socket", "there"} {
		runWith("", "keygen", name).Want(t, 1, "", "unimac keygen: "+name+": "+never+"\n")
	}
	wantUntouched(t, content, sealed, "dangling", "fifo", "loop", "socket", "to-dangling", "to-dir", "to-fifo", "to-key")

	for args, stderr := range map[string]string{
		"seal -k key -o out dir":                    "seal: dir: is a directory\n",
		"open -k key -o out dir":                    "open: dir: is a directory\n",
		"sum -k key dir":                            "sum: dir: is a directory\n",
		"check -k key dir":                          "check: dir: is a directory\nunimac check: 1 file could not be read\n",
		"seal -k dir -o out content":                "seal: dir: is a directory\n",
		"seal -passphrase-file dir -o out content":  "seal: dir: is a directory\n",
		"seal -k key -o out loop":                   "seal: loop: ",
		"seal -k dangling -o out content":           "seal: dangling: no such file or directory\n",
		"seal -passphrase-file key -f -o key there": "seal: key: " + isSecret + "\n",
	} {
		runWith("", strings.Fields(args)...).Want(t, 1, "", "unimac "+stderr)
	}
	for _, command := range []string{"seal", "open", "sum"} {
		r := finish(t, viaShell(t, `exec "$@" <dir`, command+" -k key"))
		if r.Status != 1 || !strings.HasPrefix(r.Stderr, "unimac "+command+": -: ") || !strings.Contains(r.Stderr, isDir+"\n") {
			t.Errorf("%s of a folder as standard input: got status %d, stderr %q, want 1 and a message", command, r.Status, r.Stderr)
		}
		if runtime.GOOS == "linux" {
			// This file can be opened, but reading it fails.
			r := finish(t, program(t, command, "-k", "key", "/proc/self/mem"))
			if want := "unimac " + command + ": /proc/self/mem: input/output error\n"; r.Status != 1 || r.Stderr != want || r.Stdout != "" {
				t.Errorf("%s of a file that cannot be read: got status %d, stderr %q, want 1, %q", command, r.Status, r.Stderr, want)
			}
		}
	}
	// A FIFO may be the input, like a pipe.
	for _, size := range []int{len(sealed), len(sealed) - 1000} {
		cmd := program(t, "open", "-k", "key", "-o", "out", "fifo")
		written := make(chan struct{})
		go func() {
			defer close(written)
			os.WriteFile("fifo", []byte(sealed[:size]), 0)
		}()
		r := finish(t, cmd)
		<-written
		if size == len(sealed) {
			r.Want(t, 0, "", "")
			wantContent(t, "out", content)
			os.Remove("out")
		} else {
			r.Want(t, 1, "", "unimac open: fifo: damaged: ")
		}
	}
	wantUntouched(t, content, sealed, "dangling", "fifo", "loop", "socket", "to-dangling", "to-dir", "to-fifo", "to-key")
}

// TestFIFO seals to a named pipe and opens to one, by name and through links.
func TestFIFO(t *testing.T) {
	content, sealed := workInFaults(t)
	if err := syscall.Mkfifo("fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("fifo", "to-fifo"); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"seal -k key -o fifo content", "open -k key -o fifo sealed", "open -k key -o to-fifo sealed", "open -k key -damaged -f -o fifo sealed"} {
		received := make(chan string)
		go func() {
			data, err := os.ReadFile("fifo")
			received <- string(data) + fmt.Sprint(err)
		}()
		finish(t, program(t, strings.Fields(args)...)).Want(t, 0, "", "")
		got, ok := strings.CutSuffix(<-received, "<nil>")
		if !ok || strings.HasPrefix(args, "open") && got != content {
			t.Errorf("%s: got %d bytes from the pipe, want the result", args, len(got))
		}
		if strings.HasPrefix(args, "seal") {
			runWith(got, "open", "-k", "key").Want(t, 0, content, "")
		}
	}
	if runtime.GOOS == "linux" {
		// The target of such a link is not a file name, but the link leads to the pipe.
		finish(t, viaShell(t, `exec 3<>fifo; "$@" && dd bs=6 count=1 <&3 2>/dev/null`, "seal -k key -o /proc/self/fd/3 there")).Want(t, 0, "unimac", "")
	}
	wantUntouched(t, content, sealed, "fifo", "to-fifo")
}
