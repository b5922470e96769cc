// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// copy runs unimac ssh copy with the site's files. "HOST:" stands for the site.
func (s *site) copy(args ...string) result {
	host, port, _ := net.SplitHostPort(s.address)
	all := []string{"ssh", "copy", "-i", s.identity, "-known-hosts", s.known, "-p", port}
	for _, arg := range args {
		if rest, ok := strings.CutPrefix(arg, "HOST:"); ok {
			arg = host + ":" + rest
		}
		all = append(all, arg)
	}
	return runWith("", all...)
}

// TestCopy copies both ways, with our server and with that of OpenSSH.
func TestCopy(t *testing.T) {
	t.Parallel()
	t.Run("ours", func(t *testing.T) { testCopy(t, startSite(t)) })
	if !testing.Short() {
		t.Run("OpenSSH", func(t *testing.T) { testCopy(t, startDaemon(t)) })
	}
}

func testCopy(t *testing.T, s *site) {
	here, there := t.TempDir(), t.TempDir()
	at := func(names ...string) string { return filepath.Join(names...) }
	for _, n := range []int{0, 1, 32 << 10, 5<<20 + 1234} {
		data := randomBytes(n)
		from := writeFile(t, at(here, "a file"), data)
		if err := os.Chmod(from, 0o640); err != nil {
			t.Fatal(err)
		}
		writeFile(t, at(there, "as"), "before")
		s.copy(from, "HOST:"+at(there, "as")).Want(t, 0, "", "")
		wantFile(t, at(there, "as"), data)
		if info, err := os.Stat(at(there, "as")); err != nil || info.Mode() != 0o640 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		s.copy("HOST:"+at(there, "as"), at(here, "back")).Want(t, 0, "", "")
		wantFile(t, at(here, "back"), data)
	}
	one, two := writeFile(t, at(here, "one"), "1"), writeFile(t, at(here, "two"), "2")
	s.copy(one, two, "HOST:"+there).Want(t, 0, "", "")
	wantFile(t, at(there, "two"), "2")
	into := t.TempDir()
	s.copy("HOST:"+at(there, "one"), "HOST:"+at(there, "two"), into).Want(t, 0, "", "")
	wantFile(t, at(into, "one"), "1")
	wantFile(t, at(into, "two"), "2")

	s.copy(one, at(here, "none"), two, "HOST:"+into).Want(t, 1, "", "unimac ssh copy: "+at(here, "none")+": no such file or folder\n")
	s.copy("HOST:"+at(there, "none"), into).Want(t, 1, "", "unimac ssh copy: "+at(there, "none")+": no such file or folder\n")
	s.copy(there, "HOST:"+into).Want(t, 1, "", ": is a directory")
	s.copy(one, two, "HOST:"+at(there, "one")).Want(t, 1, "", "is no folder, and there are several files")
	s.copy(one, "HOST:/dev/null/x").Want(t, 1, "", "unimac ssh copy: "+one+": ")
	s.copy(one, two).Want(t, 2, "", "nothing names a server")
	s.copy("HOST:one", "HOST:two").Want(t, 2, "", "not between servers")
	for _, dir := range []string{here, there, into} {
		if left, _ := filepath.Glob(at(dir, ".unimac-*")); len(left) > 0 {
			t.Errorf("there is left %q", left)
		}
	}
}

func TestSplitRemote(t *testing.T) {
	for arg, want := range map[string][2]string{
		"host:file": {"host", "file"}, "user@host:": {"user@host", ""}, "host:/a:b": {"host", "/a:b"}, "./a:b": {"", "./a:b"},
		"file": {"", "file"}, ":file": {"", ":file"}, "/a:b": {"", "/a:b"}, "me@[::1]:x": {"me@[::1]", "x"}, "[::1]:": {"[::1]", ""},
	} {
		if server, name := splitRemote(arg); server != want[0] || name != want[1] {
			t.Errorf("%s: %q, %q", arg, server, name)
		}
	}
}

func TestAtHome(t *testing.T) {
	for name, want := range map[string]string{"~": "", "~/": "", "~/a/~": "a/~", "~//a": "a", "~a": "~a", "a/~": "a/~", "/~/a": "/~/a", "": ""} {
		if got := atHome(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	plan, err := planCopy([]string{"~/here", "host:~/there"})
	if err != nil || plan.to != "there" || plan.sources[0] != "~/here" {
		t.Errorf("%+v, %v", plan, err)
	}
}

// TestCopyCut cuts the connection in the middle. What is there stays, and of what has arrived
// nothing does; where the part cannot be removed, its name is told.
func TestCopyCut(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	p := startProxy(t, s)
	dir := t.TempDir()
	const size, cut = 16 << 20, 11 << 20
	data := randomBytes(size)
	from := writeFile(t, filepath.Join(dir, "from"), data)
	for _, upload := range []bool{true, false} {
		to := writeFile(t, filepath.Join(dir, "to"), "before")
		args := []string{from, "HOST:" + to}
		through, other := &p.toServer, &p.fromServer
		if !upload {
			args = []string{"HOST:" + from, to}
			through, other = other, through
		}
		through.Store(cut)
		other.Store(1 << 40)
		r := s.copy(args...)
		if r.Status == 0 {
			t.Fatal("the connection was not cut")
		}
		wantFile(t, to, "before")
		parts, err := filepath.Glob(filepath.Join(dir, ".unimac-*.part"))
		if err != nil || upload != (len(parts) == 1) {
			t.Fatalf("upload %t: %q, %v", upload, parts, err)
		}
		for _, part := range parts {
			if !strings.Contains(r.Stderr, part+": ") || !strings.Contains(r.Stderr, "; it stays there, and is not complete\n") {
				t.Errorf("%s", r.Stderr)
			}
			os.Remove(part)
		}
		through.Store(1 << 40)
		s.copy(args...).Want(t, 0, "", "")
		wantFile(t, to, data)
	}
}

// TestCopyInterrupted ends the program while it copies. Nothing of it stays, here or there.
func TestCopyInterrupted(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	if err := errors.Join(os.WriteFile(from, nil, 0o600), os.Truncate(from, 1<<40)); err != nil {
		t.Skip(err)
	}
	host, port, _ := net.SplitHostPort(s.address)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, args := range [][]string{{from, host + ":" + dir + "/to"}, {host + ":" + from, dir + "/to"}} {
			if testing.Short() && sig != syscall.SIGINT {
				continue
			}
			cmd := program(t, append([]string{"ssh", "copy", "-i", s.identity, "-known-hosts", s.known, "-p", port}, args...)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			parts := func() (names []string) {
				names, _ = filepath.Glob(filepath.Join(dir, ".unimac-*.part"))
				return names
			}
			if !eventually(func() bool { return len(parts()) == 1 }) {
				t.Error("no part")
			}
			cmd.Process.Signal(sig)
			cmd.Wait()
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != sig {
				t.Errorf("%v: it ends with %v", sig, cmd.ProcessState)
			}
			if left := parts(); len(left) > 0 {
				t.Errorf("%v: %q is left", sig, left)
			}
			if _, err := os.Lstat(dir + "/to"); err == nil {
				t.Errorf("%v: what is not complete appears", sig)
			}
		}
	}
}

// TestCopyPattern copies what matches a pattern on the server, as scp does.
func TestCopyPattern(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	dir := t.TempDir()
	for _, name := range []string{"a1", "a2", "b1", ".hidden", "x/in1", "x/in2", "y/in1", "br[1]"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), name)
	}
	for _, tt := range []struct{ pattern, want string }{
		{"a*", "a1 a2"}, {"[ab]1", "a1 b1"}, {"?1", "a1 b1"}, {".h*", ".hidden"}, {"*/in1", "in1"}, {"x/in?", "in1 in2"},
		{"*d*", ""}, {"none*", ""}, {"*/none", ""}, {"[", ""}, {`br\[1\]`, "br[1]"}, {"[x]/in2", "in2"}, {"../*/x/in2", "in2"},
	} {
		ours, scps := t.TempDir(), t.TempDir()
		r := s.copy("HOST:"+dir+"/"+tt.pattern, ours)
		if (r.Status == 0) != (tt.want != "") {
			t.Errorf("%s: %+v", tt.pattern, r)
		}
		runs(t, s.openSSH(t, "scp", "HOST:"+dir+"/"+tt.pattern, scps), tt.want != "")
		for _, to := range []string{ours, scps} {
			var names []string
			entries, err := os.ReadDir(to)
			for _, entry := range entries {
				names = append(names, entry.Name())
			}
			if got := strings.Join(names, " "); err != nil || got != tt.want {
				t.Errorf("%s: %q, %v; want %q", tt.pattern, got, err, tt.want)
			}
		}
	}
	s.copy("HOST:"+dir+"/a*", filepath.Join(dir, "none")).Want(t, 1, "", "is no folder, and there are several files")
	s.copy("HOST:"+dir+"/z*", t.TempDir()).Want(t, 1, "", "unimac ssh copy: "+dir+"/z*: no such file or folder\n")
}

// TestCopySpecial copies to what is no regular file. Nothing takes its place.
func TestCopySpecial(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	dir := t.TempDir()
	from, file := writeFile(t, filepath.Join(dir, "from"), "content"), writeFile(t, filepath.Join(dir, "file"), "before")
	pipe, link, null := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "null")
	if err := errors.Join(unix.Mkfifo(pipe, 0o600), os.Symlink(file, link), os.Symlink("/dev/null", null)); err != nil {
		t.Fatal(err)
	}
	s.copy("HOST:"+from, pipe).Want(t, 1, "", "is no regular file")
	s.copy(from, "HOST:"+pipe).Want(t, 1, "", "is no regular file")
	s.copy(from, "HOST:"+null).Want(t, 1, "", "is no regular file")
	s.copy("HOST:"+from, null).Want(t, 1, "", "is no regular file")
	s.copy("HOST:"+from, link).Want(t, 0, "", "")
	wantFile(t, file, "content")
	for name, mode := range map[string]fs.FileMode{pipe: fs.ModeNamedPipe, link: fs.ModeSymlink, null: fs.ModeSymlink} {
		if info, err := os.Lstat(name); err != nil || info.Mode().Type() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	// Nor with -r.
	for _, tree := range []string{"here", "there"} {
		if err := os.MkdirAll(filepath.Join(dir, tree, "tree"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, "there", "tree", "pipe"), "content")
	if err := os.Rename(pipe, filepath.Join(dir, "here", "tree", "pipe")); err != nil {
		t.Fatal(err)
	}
	s.copy("-r", "HOST:"+filepath.Join(dir, "there", "tree"), filepath.Join(dir, "here")).Want(t, 1, "", "is no regular file")
}

// TestCopyProgress shows a bar on a terminal.
func TestCopyProgress(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	dir := t.TempDir()
	from := writeFile(t, filepath.Join(dir, "from"), randomBytes(4<<20))
	host, port, _ := net.SplitHostPort(s.address)
	scr := onScreen(t, program(t, "ssh", "copy", "-i", s.identity, "-known-hosts", s.known, "-p", port, from, host+":"+dir+"/to"))
	if status := scr.status(t); status != 0 {
		t.Errorf("status %d", status)
	}
	if shown := scr.shown.String(); !strings.Contains(shown, "100%") || !strings.Contains(shown, "/s") {
		t.Errorf("the terminal shows %q", shown)
	}
}
