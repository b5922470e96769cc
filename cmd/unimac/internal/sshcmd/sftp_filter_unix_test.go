// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSFTPSwapped replaces a file that a client has open by a link to another user's
// file. Later requests must affect the open file, or fail.
func TestSFTPSwapped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, victim := filepath.Join(dir, "file"), writeFile(t, filepath.Join(dir, "victim"), "content")
	r := dialSFTP(t, startSite(t).dial(t))
	if status := r.status(3, 1, file, 0x1a, 4, 0o600); status != -1 {
		t.Fatalf("open: got status %d, want a handle", status)
	}
	if status := r.status(6, 1, "1", uint64(0), "12345"); status != 0 {
		t.Errorf("write: got status %d, want 0", status)
	}
	if status := r.status(10, 1, "1", 8, 1000, 2000); status != 0 {
		t.Errorf("setting the times of an open file: got status %d, want 0", status)
	}
	if info, err := os.Stat(file); err != nil || info.ModTime().Unix() != 2000 {
		t.Errorf("got %v, error %v, want modification time 2000", info, err)
	}
	if err := os.Rename(file, file+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, file); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(victim)
	if err != nil {
		t.Fatal(err)
	}
	if status := r.status(10, 1, "1", 5, uint64(3), 0o777); status != 0 {
		t.Errorf("setting size and mode after the replacement: got status %d, want 0", status)
	}
	if status := r.status(10, 1, "1", 13, uint64(2), 0o777, 1000, 1000); status != 4 {
		t.Errorf("setting size, mode and times after the replacement: got status %d, want 4", status)
	}
	wantFile(t, file+"2", "123")
	wantFile(t, victim, "content")
	after, err := os.Stat(victim)
	if err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the other user's file was changed: got %v, error %v, want %v", after, err, before)
	}
}

// TestSFTPKeeps sends requests that would destroy a file or folder.
func TestSFTPKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a", "b"} {
		writeFile(t, path(name), name)
		if err := os.Mkdir(path("folder "+name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", path("link")); err != nil {
		t.Fatal(err)
	}
	r := dialSFTP(t, startSite(t).dial(t))
	for _, tt := range []struct {
		kind   byte
		fields []any
		want   int
	}{
		{18, []any{1, path("a"), path("b")}, 4},
		{18, []any{1, path("folder a"), path("folder b")}, 4},
		{18, []any{1, path("a"), path("folder b")}, 4},
		{18, []any{1, path("a"), path("link")}, 4},
		{18, []any{1, path("none"), path("b")}, 2},
		{18, []any{1, path("none"), path("new")}, 2},
		{13, []any{1, path("folder a")}, 4},
		{13, []any{1, path("none")}, 2},
		{15, []any{1, path("a")}, 2},
		{15, []any{1, path("link")}, 2},
		{18, []any{1, path("a"), path("new")}, 0},
		{18, []any{1, path("folder a"), path("new folder")}, 0},
		{18, []any{1, path("link"), path("new link")}, 0},
		{13, []any{1, path("new link")}, 0},
		{15, []any{1, path("folder b")}, 0},
		{200, []any{1, "posix-rename@openssh.com", path("new"), path("b")}, 0},
	} {
		if got := r.status(tt.kind, tt.fields...); got != tt.want {
			t.Errorf("request %d %q: got status %d, want %d", tt.kind, tt.fields, got, tt.want)
		}
	}
	wantFile(t, path("b"), "a")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("got entries %v, error %v, want 2 entries", entries, err)
	}
}

// TestSFTPRenamesAtOnce renames files to the same name from many clients. Only one may
// succeed.
func TestSFTPRenamesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startSite(t)
	const n = 8
	for round := range 10 {
		client := s.dial(t) // sessions of the previous round may still be open
		done, renamed := make(chan bool), 0
		for i := range n {
			from := writeFile(t, filepath.Join(dir, fmt.Sprint(round, i)), "x")
			r := dialSFTP(t, client)
			go func() {
				done <- r.status(18, 1, from, filepath.Join(dir, fmt.Sprint("to", round))) == 0
				r.Close()
			}()
		}
		for range n {
			if <-done {
				renamed++
			}
		}
		left, err := os.ReadDir(dir)
		if err != nil || renamed != 1 || len(left) != (round+1)*n {
			t.Errorf("round %d: got %d successful renames and %d files, error %v, want 1 and %d", round, renamed, len(left), err, (round+1)*n)
		}
	}
}

// TestSFTPOrder sends requests without waiting for answers. Their effect must be the
// same as if sent one after another.
func TestSFTPOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := dialSFTP(t, startSite(t).dial(t))
	const rounds = 40
	for round := range rounds {
		name := filepath.Join(dir, fmt.Sprint(round))
		handle := fmt.Sprint(round + 1)
		first, second := strings.Repeat("a", 100_000), strings.Repeat("b", 60_000)
		var all []byte
		for _, packet := range [][]byte{
			sftpPacket(3, 1, name, 0x1b, 0),
			sftpPacket(6, 2, handle, uint64(0), first),
			sftpPacket(6, 3, handle, uint64(50_000), second), // overlaps the end of the first write
			sftpPacket(8, 4, handle),                         // size so far
			sftpPacket(10, 5, handle, 1, uint64(0)),          // truncate
			sftpPacket(6, 6, handle, uint64(0), second),
			sftpPacket(6, 7, handle, uint64(0), "c"),
			sftpPacket(5, 8, handle, uint64(0), 3),
			sftpPacket(4, 9, handle),
			sftpPacket(18, 10, name, name+" renamed"),
			sftpPacket(17, 11, name+" renamed"),
		} {
			all = append(all, packet...)
		}
		go r.Write(all)
		answers := make([][]byte, 11)
		for i := range answers {
			head := make([]byte, 4)
			if _, err := io.ReadFull(r, head); err != nil {
				t.Fatal(err)
			}
			answers[i] = make([]byte, binary.BigEndian.Uint32(head))
			if _, err := io.ReadFull(r, answers[i]); err != nil {
				t.Fatal(err)
			}
			if id := binary.BigEndian.Uint32(answers[i][1:]); id != uint32(i+1) {
				t.Fatalf("answer %d is for request %d", i+1, id)
			}
		}
		if size := binary.BigEndian.Uint64(answers[3][9:]); size != 110_000 {
			t.Errorf("got size %d, want 110000", size)
		}
		if got := string(answers[7][9:]); got != "cbb" {
			t.Errorf("read %q, want %q", got, "cbb")
		}
		wantFile(t, name+" renamed", "c"+second[1:])
		if answers[10][0] != 105 {
			t.Errorf("stat: got an answer of type %d, want 105", answers[10][0])
		}
	}
}

// TestSFTPUnread requests the same file repeatedly without reading the answers. The
// server must stop reading requests before many answers accumulate.
func TestSFTPUnread(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := writeFile(t, filepath.Join(dir, "file"), randomBytes(1<<16))
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	server, err := newFileServer(struct {
		io.Reader
		io.WriteCloser
	}{toServer, out}, dir, true)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		server.Serve()
		close(ended)
	}()
	in.Write(append(sftpPacket(1, 3), sftpPacket(3, 1, name, 1, 0)...))
	for range 2 {
		head := make([]byte, 4)
		io.ReadFull(fromServer, head)
		io.CopyN(io.Discard, fromServer, int64(binary.BigEndian.Uint32(head)))
	}
	var asked atomic.Int32
	go func() {
		for {
			if _, err := in.Write(sftpPacket(5, 2, "1", uint64(0), 1<<15)); err != nil {
				return
			}
			asked.Add(1)
		}
	}()
	eventually(func() bool { return asked.Load() >= 2 })
	time.Sleep(50 * time.Millisecond)
	if n := asked.Load(); n != 2 { // one in progress and one waiting
		t.Errorf("the server read %d requests, want 2", n)
	}
	go io.Copy(io.Discard, fromServer)
	if !eventually(func() bool { return asked.Load() > 100 }) {
		t.Error("the server does not continue after its answers are read")
	}
	in.Close()
	<-ended
}

// TestSFTPVolume requests the free space, as df does on sshfs.
func TestSFTPVolume(t *testing.T) {
	t.Parallel()
	cmd := startSite(t).openSSH(t, "sftp", "-b", "-", "HOST")
	cmd.Stdin = strings.NewReader("df\ndf /tmp\n")
	if out := runs(t, cmd, true); strings.Count(out, "%\n") != 2 {
		t.Errorf("got output %q, want two lines with a percentage", out)
	}
}

// TestSFTPManyNames lists a folder with many files, and then keeps folders open.
// Neither may use memory for all the names.
func TestSFTPManyNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 1000
	for i := range n {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("%0200d", i)), "")
	}
	s := startSite(t)
	if names := runs(t, s.openSSH(t, "ssh", "HOST", "ls "+dir+" | wc -l"), true); strings.TrimSpace(names) != fmt.Sprint(n) {
		t.Fatalf("the folder has %q files, want %d", names, n)
	}
	cmd := s.openSSH(t, "sftp", "-b", "-", "HOST")
	cmd.Stdin = strings.NewReader("ls -l " + dir + "\n")
	// Do not capture standard error: ssh would keep it open, and output could be lost.
	if out, err := cmd.Output(); err != nil || strings.Count(string(out), "rw-------") != n {
		t.Errorf("sftp lists %d files, error %v, want %d", strings.Count(string(out), "rw-------"), err, n)
	}
	r := dialSFTP(t, s.dial(t))
	if status := r.status(11, 1, dir); status != -1 {
		t.Fatalf("opendir: got status %d, want a handle", status)
	}
	if kind, rest := r.ask(12, 1, "1"); kind != 104 || binary.BigEndian.Uint32(rest) >= n {
		t.Errorf("readdir: got an answer of type %d with %d names, want 104 and fewer than %d", kind, binary.BigEndian.Uint32(rest), n)
	}
}
