// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// fuzzFile returns a function that writes a file, which only its owner can read, and
// returns its name.
func fuzzFile(f *testing.F) func(t *testing.T, data []byte) string {
	name := filepath.Join(f.TempDir(), "file")
	return func(t *testing.T, data []byte) string {
		t.Helper()
		os.Remove(name) // some file systems wait for the disk when a file is overwritten
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
}

// fuzzHostKey returns a key that the fuzzer can only know from the seeds.
func fuzzHostKey(f *testing.F, seed byte) ssh.PublicKey {
	f.Helper()
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	key, err := ssh.NewPublicKey(private.Public())
	if err != nil {
		f.Fatal(err)
	}
	return key
}

// FuzzKnownHosts checks that a host can only show a key that the file contains, and that
// it can show the key in a line of its own.
func FuzzKnownHosts(f *testing.F) {
	const address = "example.org:22"
	knownKey, stranger := fuzzHostKey(f, 1), fuzzHostKey(f, 2)
	line := knownhosts.Line([]string{address}, knownKey)
	encoded := strings.Fields(line)[2]
	f.Add([]byte(line))
	f.Add([]byte("# comment\n\n" + line + "\n" + strings.Replace(line, "example", "*", 1)))
	f.Add([]byte("@revoked " + line))
	f.Add([]byte("@cert-authority *.org,!example.org " + strings.Join(strings.Fields(line)[1:], " ")))
	f.Add([]byte(knownhosts.HashHostname("example.org") + " ssh-ed25519 " + encoded))
	f.Add([]byte("|1|!|= ssh-ed25519 " + encoded))
	f.Add([]byte("[example.org]:2222,127.0.0.1 ssh-rsa AAAA"))
	write := fuzzFile(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		hosts := &hostChecker{call: &cli.Call{Stderr: io.Discard}, file: write(t, data)}
		if hosts.read() != nil {
			return
		}
		text := strings.ReplaceAll(string(data), "\r", "") // base64 ignores carriage returns
		remote := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 22}
		for _, name := range []string{address, "[::1]:22", "example.org:2222"} {
			if hosts.check(name, remote, stranger) == nil {
				t.Errorf("%q accepts an unknown key of %s", data, name)
			}
			if hosts.check(name, remote, knownKey) == nil && !strings.Contains(text, encoded) {
				t.Errorf("%q accepts a key of %s that the file does not contain", data, name)
			}
			got := hosts.algorithms(name)
			slices.Sort(got)
			want := slices.DeleteFunc(ssh.SupportedAlgorithms().HostKeys, func(name string) bool { return strings.Contains(name, "-cert-") })
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q: got algorithms %q for %s, want %q in any order", data, got, name, want)
			}
		}
	})
}

// FuzzAuthorizedKeys checks that an authorized key is on a line without options.
func FuzzAuthorizedKeys(f *testing.F) {
	authorized := fuzzHostKey(f, 3)
	line := string(ssh.MarshalAuthorizedKey(authorized))
	encoded := strings.Fields(line)[1]
	f.Add([]byte(line))
	f.Add([]byte("# comment\n\n \t" + strings.TrimSuffix(line, "\n") + " somebody"))
	f.Add([]byte("command=\"a \\\" b\",no-pty " + line))
	f.Add([]byte("cert-authority " + line + "ssh-rsa AAAA\n" + line))
	f.Add([]byte("ssh-ed25519-cert-v01@openssh.com " + encoded))
	f.Add([]byte("restrict " + encoded + "\ncommand=\"true\" " + encoded))
	f.Fuzz(func(t *testing.T, data []byte) {
		list := parseKeys(data)
		for _, line := range list.lines {
			g, err := list.find(line.key)
			if (g == nil) == (err == nil) || line.grant == nil && err == nil {
				t.Errorf("%q: find = %+v, %v, want exactly one nil, and an error for a line without a grant", data, g, err)
			}
			if err == nil && (line.grant.noForwarding && !g.noForwarding || line.grant.noTerminal && !g.noTerminal) {
				t.Errorf("%q: find = %+v, want at most the grant %+v of the line", data, g, line.grant)
			}
			if _, err := ssh.ParsePublicKey(line.key.Marshal()); err != nil {
				t.Errorf("%q: marshaled key does not parse: %v", data, err)
			}
		}
		if _, err := list.find(authorized); err == nil && !strings.Contains(string(data), encoded[:20]) {
			t.Errorf("%q authorizes a key that the file does not contain", data)
		}
	})
}

// sftpPacket returns an SFTP packet of this type with the given fields.
func sftpPacket(kind byte, rest ...any) []byte {
	body := []byte{kind}
	for _, field := range rest {
		switch v := field.(type) {
		case string:
			body = append(binary.BigEndian.AppendUint32(body, uint32(len(v))), v...)
		case uint64:
			body = binary.BigEndian.AppendUint64(body, v)
		case uint32:
			body = binary.BigEndian.AppendUint32(body, v)
		case int:
			body = binary.BigEndian.AppendUint32(body, uint32(v))
		}
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// filePackets lists sequences of SFTP requests. Their paths begin in the home.
var filePackets = [][][]byte{
	{sftpPacket(3, 1, "f", 0x1a, 4, 0o600), sftpPacket(6, 2, "1", uint64(0), "data"), sftpPacket(10, 3, "1", 1, uint64(2)), sftpPacket(4, 4, "1")},
	{sftpPacket(3, 1, "f", 3, 0), sftpPacket(5, 2, "1", uint64(1), uint32(1<<31)), sftpPacket(8, 3, "1"), sftpPacket(4, 4, "1")},
	{sftpPacket(3, 1, "f", 0x06, 0), sftpPacket(6, 2, "1", uint64(1<<63), "data"), sftpPacket(10, 3, "1", 8, 1, 1), sftpPacket(6, 4, "1", uint64(0))},
	{sftpPacket(11, 1, "."), sftpPacket(12, 2, "1"), sftpPacket(12, 3, "1"), sftpPacket(4, 4, "1")},
	{sftpPacket(14, 1, "d", 4, 0o700), sftpPacket(18, 2, "d", "e"), sftpPacket(15, 3, "e"), sftpPacket(13, 4, "e")},
	{sftpPacket(20, 1, "..", "l"), sftpPacket(19, 2, "l"), sftpPacket(17, 3, "l"), sftpPacket(7, 4, "l"), sftpPacket(16, 5, "l")},
	{sftpPacket(9, 1, "f", 15, uint64(1), 1, 1, 0o644, 1, 1), sftpPacket(9, 2, "f", uint32(0x8000000f))},
	{sftpPacket(200, 1, "posix-rename@openssh.com", "f", "g"), sftpPacket(200, 2, "hardlink@openssh.com", "g", "h")},
	{sftpPacket(200, 1, "statvfs@openssh.com", "/"), sftpPacket(200, 2, "copy-data", "1", uint64(0)), sftpPacket(200, 3, "fsync@openssh.com", "1")},
	{sftpPacket(18, 1, "f"), sftpPacket(20, 2, "f"), sftpPacket(6, 3, "1"), sftpPacket(3, 4), sftpPacket(0), {0, 0, 0, 0}, {255, 255, 255, 255, 3}},
}

// serveFilePackets sends packets to a file server. The file server must not panic,
// because a panic would end the server for all its clients.
func serveFilePackets(t *testing.T, home string, readOnly bool, data []byte) {
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	go io.Copy(io.Discard, fromServer)
	go func() {
		in.Write(sftpPacket(1, 3))
		in.Write(data)
		in.Close()
	}()
	stream := struct {
		io.Reader
		io.WriteCloser
	}{toServer, out}
	server, err := newFileServer(stream, home, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	server.Serve()
	toServer.Close()
	fromServer.Close()
}

func TestFileServer(t *testing.T) {
	home := t.TempDir()
	for _, packets := range filePackets {
		for n := range packets {
			serveFilePackets(t, home, false, slices.Concat(packets[:n+1]...))
		}
	}
}

// FuzzFileServer sends arbitrary packets. They may contain any path, so the server is
// read-only.
func FuzzFileServer(f *testing.F) {
	for _, packets := range filePackets {
		f.Add(slices.Concat(packets...))
	}
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) { serveFilePackets(t, home, true, data) })
}
