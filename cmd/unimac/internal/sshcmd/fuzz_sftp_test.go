// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"encoding/binary"
	"io"
	"slices"
	"testing"
)

// sftpPacket returns a packet of SFTP, of a type and what follows it.
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

// filePackets are packets of a client of SFTP, with paths that begin in the home.
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

// serveFilePackets sends packets to a server of files, which must not panic: that would end
// it for all its clients.
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

// FuzzFileServer sends any packets. They may name any path, so the server changes nothing.
func FuzzFileServer(f *testing.F) {
	for _, packets := range filePackets {
		f.Add(slices.Concat(packets...))
	}
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) { serveFilePackets(t, home, true, data) })
}
