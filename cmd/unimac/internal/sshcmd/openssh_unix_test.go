// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// openSSH returns a command that runs an OpenSSH client with the site's files.
// Arguments that begin with "HOST:" are paths on the server.
func (s *site) openSSH(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	for i, arg := range args {
		if arg == "HOST" || strings.HasPrefix(arg, "HOST:") {
			args[i] = host + strings.TrimPrefix(arg, "HOST")
		}
	}
	return exec.Command(find(t, name), append([]string{
		"-F", "none", "-i", s.identity, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR",
		"-o", "UserKnownHostsFile=" + s.known, "-o", "StrictHostKeyChecking=yes", "-o", "Port=" + port}, args...)...)
}

// runs runs a command and returns its output. The test fails if the success of the
// command is not ok.
func runs(t *testing.T, cmd *exec.Cmd, ok bool) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if (err == nil) != ok {
		t.Errorf("%q: got error %v, want success %t\n%s", cmd.Args, err, ok, out)
	}
	return string(out)
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != want {
		t.Errorf("%s: got %d bytes, error %v, want other content of %d bytes", path, len(data), err, len(want))
	}
}

// TestSFTP copies files with scp and sftp.
func TestSFTP(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	dir := t.TempDir()
	size := 3 << 20
	if testing.Short() {
		size = 1 << 20
	}
	data := randomBytes(size)
	from := writeFile(t, filepath.Join(dir, "a file"), data)
	if err := os.Chmod(from, 0o751); err != nil {
		t.Fatal(err)
	}
	runs(t, s.openSSH(t, "scp", "-p", from, "HOST:"+filepath.Join(dir, "there")), true)
	wantFile(t, filepath.Join(dir, "there"), data)
	if info, err := os.Stat(filepath.Join(dir, "there")); err != nil || info.Mode() != 0o751 {
		t.Errorf("got mode %v, error %v, want 0751", info.Mode(), err)
	}
	runs(t, s.openSSH(t, "scp", "HOST:"+filepath.Join(dir, "there"), filepath.Join(dir, "back")), true)
	wantFile(t, filepath.Join(dir, "back"), data)
	runs(t, s.openSSH(t, "scp", from, "HOST:relative"), true)
	wantFile(t, filepath.Join(os.Getenv("HOME"), "relative"), data) // relative to the home
	runs(t, s.openSSH(t, "scp", "-r", dir, "HOST:tree"), true)
	wantFile(t, filepath.Join(os.Getenv("HOME"), "tree", "a file"), data)
	runs(t, s.openSSH(t, "scp", "HOST:none", dir), false)

	cmd := s.openSSH(t, "sftp", "-b", "-", "HOST")
	cmd.Stdin = strings.NewReader("mkdir made\nput \"" + from + "\" made/file\nrename made/file made/other\nln -s other made/link\nls -l made\nchmod 600 made/other\nget made/link " + dir + "/got\nrm made/link\nrm made/other\nrmdir made\n")
	runs(t, cmd, true)
	wantFile(t, filepath.Join(dir, "got"), data)
}

// TestSFTPReadOnly checks that clients of a read-only server cannot change anything.
func TestSFTPReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startSiteWith(t, serveOptions{readOnly: true})
	file := writeFile(t, filepath.Join(dir, "file"), "before")
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "to")
	runs(t, s.openSSH(t, "scp", "HOST:"+file, to), true)
	wantFile(t, to, "before")
	commands := []string{
		"put " + to + " P/new", "put " + to + " P/file", "mkdir P/made", "rm P/file", "rmdir P/dir", "rename P/file P/other", "rename -l P/file P/other",
		"ln P/file P/hard", "ln -s file P/soft", "chmod 644 P/file", "reput " + to + " P/file",
	}
	cmd := s.openSSH(t, "sftp", "-b", "-", "HOST")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll("-"+strings.Join(commands, "\n-")+"\n", "P/", dir+"/"))
	out := strings.ToLower(runs(t, cmd, true))                                                             // with a dash, sftp continues after an error
	if n := strings.Count(out, "permission denied") + strings.Count(out, "failure"); n < len(commands)-1 { // reput prints a different message
		t.Errorf("got %d errors for %d commands, want at least %d:\n%s", n, len(commands), len(commands)-1, out)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("got entries %v, error %v, want 2 entries", entries, err)
	}
	wantFile(t, file, "before")
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("got mode %v, error %v, want 0600", info.Mode(), err)
	}
	runs(t, s.openSSH(t, "ssh", "HOST", "true"), false)
}

// TestDocumentedFiles runs the command lines of doc/command.md that copy files.
func TestDocumentedFiles(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "doc", "command.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := startSite(t)
	_, port, _ := net.SplitHostPort(s.address)
	dir, home := t.TempDir(), os.Getenv("HOME")
	for _, folder := range []string{filepath.Join(dir, "bin"), filepath.Join(dir, "photos"), filepath.Join(dir, "mnt")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// Scripts with the names of the programs add the options for the site.
	script := func(name string, cmd *exec.Cmd) {
		words := append([]string{cmd.Path}, cmd.Args[1:]...)
		for i, word := range words {
			words[i] = cli.Quote(word)
		}
		path := writeFile(t, filepath.Join(dir, "bin", name), "#!/bin/sh\nexec "+strings.Join(words, " ")+" \"$@\"\n")
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ssh", "scp", "sftp"} {
		script(name, s.openSSH(t, name))
	}
	execProgram := program(t, "ssh", "exec", "-i", s.identity, "-known-hosts", s.known)
	script("unimac-exec", execProgram)
	writeFile(t, filepath.Join(dir, "notes"), "some notes")
	writeFile(t, filepath.Join(dir, "photos", "photo"), "a photo")
	made := map[string]string{ // file that each line creates
		"scp -P PORT notes HOST:":                                       filepath.Join(home, "notes"),
		"scp -P PORT -p -r photos HOST:":                                filepath.Join(home, "photos", "photo"),
		"scp -P PORT HOST:notes copy":                                   filepath.Join(dir, "copy"),
		"echo 'get notes fetched' | sftp -P PORT -b - HOST":             filepath.Join(dir, "fetched"),
		"rsync -e 'ssh -p PORT' -a photos/ HOST:backup/":                filepath.Join(home, "backup", "photo"),
		"unimac ssh exec -p PORT HOST 'cat notes' >received":            filepath.Join(dir, "received"),
		"tar c photos | unimac ssh exec -p PORT HOST 'tar x -C backup'": filepath.Join(home, "backup", "photos", "photo"),
		"sshfs -p PORT HOST: mnt":                                       "", // requires a kernel with FUSE
	}
	_, section, _ := strings.Cut(string(page), "## Files over SSH\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "\t$ ")
		if !ok {
			continue
		}
		line = strings.NewReplacer("2222", "PORT", "localhost", "HOST").Replace(line)
		path, known := made[line]
		delete(made, line)
		if !known {
			t.Errorf("doc/command.md has a line that the test does not know: %s", line)
		}
		if path == "" {
			continue
		}
		if strings.HasPrefix(line, "rsync") {
			find(t, "rsync")
		}
		line = strings.NewReplacer("PORT", port, "HOST", "127.0.0.1", "unimac ssh exec", "unimac-exec").Replace(line)
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(execProgram.Env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
		runs(t, cmd, true)
		want := "some notes"
		if filepath.Base(path) == "photo" {
			want = "a photo"
		}
		wantFile(t, path, want)
	}
	for line := range made {
		t.Errorf("doc/command.md lacks the line %s", line)
	}
}

// greeter starts a server that sends a greeting on each connection.
func greeter(t *testing.T) (port string) {
	t.Helper()
	address := listen(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
		io.WriteString(conn, "hello")
		conn.Close()
	})
	_, port, _ = net.SplitHostPort(address.String())
	return port
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// greeted reports whether a port sends the greeting. If proxy is not empty, it connects
// through this SOCKS 5 proxy.
func greeted(port, proxy string) bool {
	to := port
	if proxy != "" {
		to = proxy
	}
	conn, err := net.Dial("tcp", "127.0.0.1:"+to)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(soon))
	if proxy != "" {
		var n int
		fmt.Sscan(port, &n)
		conn.Write([]byte{5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, byte(n >> 8), byte(n)})
		io.ReadFull(conn, make([]byte, 2+10))
	}
	data, _ := io.ReadAll(conn)
	return string(data) == "hello"
}

// TestForward connects to a port through the server, directly and with SOCKS. The
// server must not listen on ports for clients.
func TestForward(t *testing.T) {
	target := greeter(t)
	s := startSiteWith(t, serveOptions{forward: true})
	without := startSite(t)
	line, err := os.ReadFile(s.authorized)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, options string
		site          *site
		local         bool
	}{
		{"allowed", "", s, true},
		{"disabled on the server", "", without, false},
		{"no-port-forwarding", "no-port-forwarding ", s, false},
		{"restrict", "restrict ", s, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && tt.options != "" {
				t.Skip("each case waits for a client")
			}
			if tt.site == s {
				lines := strings.TrimSpace(strings.ReplaceAll(string(line), "# a comment\n", ""))
				writeFile(t, s.authorized, tt.options+lines+"\n")
			}
			local, remote, socks := freePort(t), freePort(t), freePort(t)
			cmd := tt.site.openSSH(t, "ssh", "-N",
				"-L", local+":127.0.0.1:"+target, "-R", remote+":127.0.0.1:"+target, "-D", socks, "HOST")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				cmd.Process.Kill()
				cmd.Wait()
			}()
			ready := eventually(func() bool {
				conn, err := net.Dial("tcp", "127.0.0.1:"+socks)
				if err == nil {
					conn.Close()
				}
				return err == nil
			})
			if !ready {
				t.Fatal("ssh did not connect in time")
			}
			if got := greeted(local, ""); got != tt.local {
				t.Errorf("-L: connected = %t, want %t", got, tt.local)
			}
			if got := greeted(target, socks); got != tt.local {
				t.Errorf("-D: connected = %t, want %t", got, tt.local)
			}
			if greeted(remote, "") {
				t.Error("-R: the server listens for the client, want no listener")
			}
		})
	}
}

// TestChaCha20Poly1305 connects the server and exec, with each other and with OpenSSH,
// using the cipher that OpenSSH proposes first.
func TestChaCha20Poly1305(t *testing.T) {
	t.Parallel()
	const cipher = "chacha20-poly1305@openssh.com"
	s := startServer(t, nil, "-cipher", cipher)
	if out := runs(t, s.openSSH(t, "ssh", "HOST", "echo hello"), true); out != "hello\n" {
		t.Errorf("ssh: got output %q, want %q", out, "hello\n")
	}
	r := s.exec("", "-v", "-cipher", cipher, s.address, "echo hello")
	if r.Status != 0 || r.Stdout != "hello\n" || !strings.Contains(r.Stderr, cipher) {
		t.Errorf("exec: got status %d, stdout %q, stderr %q, want 0, %q and the cipher", r.Status, r.Stdout, r.Stderr, "hello\n")
	}
}
