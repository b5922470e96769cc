// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A rawSFTP is an SFTP client that sends arbitrary packets.
type rawSFTP struct {
	t *testing.T
	ssh.Channel
}

func dialSFTP(t *testing.T, client *ssh.Client) *rawSFTP {
	t.Helper()
	channel, requests, err := client.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	if ok, err := channel.SendRequest("subsystem", true, ssh.Marshal(&struct{ Name string }{"sftp"})); !ok || err != nil {
		t.Fatalf("subsystem sftp: got %t, error %v", ok, err)
	}
	r := &rawSFTP{t, channel}
	r.ask(1, 3)
	return r
}

// ask sends a request. It returns the type of the answer and its fields after the
// request ID.
func (r *rawSFTP) ask(kind byte, fields ...any) (answer byte, rest []byte) {
	r.t.Helper()
	if _, err := r.Write(sftpPacket(kind, fields...)); err != nil {
		r.t.Fatal(err)
	}
	head := make([]byte, 9)
	if _, err := io.ReadFull(r, head); err != nil {
		r.t.Fatal(err)
	}
	rest = make([]byte, binary.BigEndian.Uint32(head)-5)
	if _, err := io.ReadFull(r, rest); err != nil {
		r.t.Fatal(err)
	}
	return head[4], rest
}

// status sends a request and returns the status code of the answer. If the answer is
// not a status, such as a handle, it returns -1.
func (r *rawSFTP) status(kind byte, fields ...any) int {
	r.t.Helper()
	answer, rest := r.ask(kind, fields...)
	if answer != 101 {
		return -1
	}
	if rest[3] != 0 && binary.BigEndian.Uint32(rest[4:]) == 0 {
		r.t.Errorf("request %d %q: got status %d without a message", kind, fields, rest[3])
	}
	return int(binary.BigEndian.Uint32(rest))
}

// TestSFTPShortAttributes sends flags for attributes without the attributes.
func TestSFTPShortAttributes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/"
	s := startSite(t)
	r := dialSFTP(t, s.dial(t))
	for _, flags := range []uint32{15, 1, 4, 8, 1 << 31} {
		if status := r.status(9, 1, dir, flags); status <= 0 {
			t.Errorf("setstat, flags %#x: got status %d, want an error", flags, status)
		}
		if status := r.status(3, 1, fmt.Sprint(dir, "file", flags), 0x0e, flags); status != -1 && flags&4 == 0 {
			t.Errorf("open, flags %#x: got status %d, want a handle", flags, status)
		}
		if status := r.status(14, 1, fmt.Sprint(dir, "folder", flags), flags); status != 0 {
			t.Errorf("mkdir, flags %#x: got status %d, want 0", flags, status)
		}
	}
}

// TestSFTPModes checks the modes of new files and folders.
func TestSFTPModes(t *testing.T) {
	dir := t.TempDir()
	s := startSite(t)
	r := dialSFTP(t, s.dial(t))
	defer syscall.Umask(syscall.Umask(0o002)) // OpenSSH's modes and package sftp's then differ
	for i, tt := range []struct {
		attributes []any
		file       fs.FileMode
		folder     fs.FileMode
	}{
		{[]any{0}, 0o664, 0o775},
		{[]any{4, 0o600}, 0o600, 0o600},
		{[]any{4, 0o104777}, 0o775, 0o775},
		{[]any{15, uint64(1), 2, 3, 0o700, 4, 5}, 0o700, 0o700},
		{[]any{6, 0, 0, 0o751}, 0o751, 0o751},
		{[]any{12, 0o700, 4, 5}, 0o700, 0o700},
	} {
		// Opening for reading does not create a file.
		r.status(3, append([]any{1, dir + "/none", 1}, tt.attributes...)...)
		file, folder := fmt.Sprint(dir, "/file", i), fmt.Sprint(dir, "/folder", i)
		// Send some packets in pieces.
		packet := sftpPacket(3, append([]any{1, file, 0x0a}, tt.attributes...)...)
		r.Write(packet[:7])
		r.Write(packet[7 : len(packet)-1])
		r.Write(packet[len(packet)-1:])
		io.ReadFull(r, make([]byte, 9))
		io.CopyN(io.Discard, r, 4+1) // the handle, which is a number
		if status := r.status(14, append([]any{1, folder}, tt.attributes...)...); status != 0 {
			t.Errorf("mkdir: got status %d, want 0", status)
		}
		for name, want := range map[string]fs.FileMode{file: tt.file, folder: tt.folder | fs.ModeDir} {
			if info, err := os.Stat(name); err != nil || info.Mode() != want {
				t.Errorf("%s with attributes %v: got %v, error %v, want mode %v", name, tt.attributes, info, err, want)
			}
		}
	}
}

// TestSFTPManyOpen opens files up to the server's limit, and a pipe without a writer.
func TestSFTPManyOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "file"), "content")
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	s := startSiteWith(t, serveOptions{readOnly: true})
	client := s.dial(t)
	r := dialSFTP(t, client)
	if status := r.status(3, 1, dir+"/pipe", 1, 0); status != 4 {
		t.Errorf("open of a pipe: got status %d, want 4", status)
	}
	file := dir + "/file"
	for i := range maxOpen {
		kind, fields := byte(3), []any{1, file, 1, 0}
		if i%2 == 0 {
			kind, fields = 11, []any{1, dir}
		}
		if status := r.status(kind, fields...); status != -1 {
			t.Fatalf("open %d: got status %d, want a handle", i, status)
		}
	}
	for range 3 {
		if status := r.status(3, 1, file, 1, 0); status != 4 {
			t.Errorf("open of a file above the limit: got status %d, want 4", status)
		}
		if status := r.status(11, 1, dir); status != 4 {
			t.Errorf("opendir above the limit: got status %d, want 4", status)
		}
	}
	for _, handle := range []string{"1", "2"} { // a folder and a file
		if status := r.status(4, 1, handle); status != 0 {
			t.Errorf("close: got status %d, want 0", status)
		}
		if status := r.status(3, 1, dir+"/none", 1, 0); status != 2 {
			t.Errorf("open of a missing file: got status %d, want 2", status)
		}
		if status := r.status(3, 1, file, 1, 0); status != -1 {
			t.Errorf("open after close: got status %d, want a handle", status)
		}
	}
	r.Close()
	if !eventually(func() bool { return dialSFTP(t, client).status(3, 1, file, 1, 0) == -1 }) {
		t.Error("open files of an ended session still count towards the limit")
	}
}

// TestSFTPAppend appends with OpenSSH's sftp, and with clients that pass the end of the
// file as the offset.
func TestSFTPAppend(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startSite(t)
	data := randomBytes(200_000)
	from := writeFile(t, filepath.Join(dir, "from"), data)
	to := writeFile(t, filepath.Join(dir, "to"), data[:70_000])
	cmd := s.openSSH(t, "sftp", "-b", "-", "HOST")
	cmd.Stdin = strings.NewReader("put -a " + from + " " + to + "\n")
	runs(t, cmd, true)
	wantFile(t, to, data)

	// Appended data follows the current end, even if the file has grown since the
	// client determined its offset.
	one, two := dialSFTP(t, s.dial(t)), dialSFTP(t, s.dial(t))
	for _, r := range []*rawSFTP{one, two} {
		if status := r.status(3, 1, to, 0x06, 0); status != -1 {
			t.Fatalf("open: got status %d, want a handle", status)
		}
	}
	want := data
	for i := range 10 {
		for _, r := range []*rawSFTP{one, two} {
			for _, offset := range []int{0, len(data) + i} {
				piece := fmt.Sprint("piece ", i, offset)
				want += piece
				if status := r.status(6, 1, "1", uint64(offset), piece); status != 0 {
					t.Errorf("write: got status %d, want 0", status)
				}
			}
		}
	}
	wantFile(t, to, want)
	if err := errors.Join(os.Rename(to, to+"2"), os.WriteFile(to, []byte("new"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if status := one.status(6, 1, "1", uint64(0), "to which?"); status != 4 {
		t.Errorf("write after another file got the name: got status %d, want 4", status)
	}
	wantFile(t, to, "new")
}

// TestSFTPPlainModes copies with scp without -p, and changes an owner.
func TestSFTPPlainModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startSite(t)
	for i, mode := range []fs.FileMode{0o600, 0o700} {
		name := fmt.Sprint("file", i)
		from := writeFile(t, filepath.Join(dir, name), "content")
		if err := os.Chmod(from, mode); err != nil {
			t.Fatal(err)
		}
		runs(t, s.openSSH(t, "scp", from, "HOST:"+from+" there"), true)
		if info, err := os.Stat(from + " there"); err != nil || info.Mode() != mode {
			t.Errorf("got %v, error %v, want mode %v", info, err, mode)
		}
	}
	cmd := s.openSSH(t, "sftp", "-b", "-", "HOST")
	cmd.Stdin = strings.NewReader("chown 12345 " + dir + "/file0\n")
	_, err := cmd.CombinedOutput()
	info, statErr := os.Stat(filepath.Join(dir, "file0"))
	if statErr != nil {
		t.Fatal(statErr)
	}
	if owner, _ := cli.Owner(info); (owner == 12345) != (err == nil) {
		t.Errorf("got owner %d, sftp error %v, want owner 12345 if sftp succeeds, and only then", owner, err)
	}
}
