// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/crypto/ssh"
)

// The types of packets that the filter knows, and a flag (draft-ietf-secsh-filexfer-02,
// sections 3 and 6.3).
const (
	packetInit, packetOpen, packetClose, packetRead, packetWrite = 1, 3, 4, 5, 6
	packetFsetstat, packetOpendir, packetRemove, packetMkdir     = 10, 11, 13, 14
	packetRmdir, packetRealpath, packetRename, packetSymlink     = 15, 16, 18, 20
	packetStatus, packetHandle                                   = 101, 102

	openAppend = 4
)

// Flags of the attributes of a file (section 5).
const attrSize, attrUIDGID, attrPermissions, attrTimes = 1, 2, 4, 8

// maxFilePacket is the length of the longest packet that package sftp takes.
const maxFilePacket = 256 << 10

var errPacket = errors.New("malformed packet")

// A request is what a packet has after its type: a path or a handle, and more.
type request struct {
	ID   uint32
	Name string
	Rest []byte `ssh:"rest"`
}

// readRequest reads a packet into a buffer.
func readRequest(r io.Reader, buffer []byte) (packet []byte, request request, err error) {
	if _, err := io.ReadFull(r, buffer[:4]); err != nil {
		return nil, request, err
	}
	size := binary.BigEndian.Uint32(buffer)
	if size < 5 || size > maxFilePacket {
		return nil, request, errPacket
	}
	packet = buffer[:4+size]
	if _, err := io.ReadFull(r, packet[4:]); err != nil {
		return nil, request, io.ErrUnexpectedEOF
	}
	if packet[4] == packetInit {
		return packet, request, nil
	}
	if err := ssh.Unmarshal(packet[5:], &request); err != nil || packet[4] == packetWrite && len(request.Rest) < 12 {
		return nil, request, errPacket
	}
	return packet, request, nil
}

// flags returns the number that is first in the rest of a packet.
func (r *request) flags() uint32 {
	if len(r.Rest) < 4 {
		return 0
	}
	return binary.BigEndian.Uint32(r.Rest)
}

// second returns the path that is in the rest of a packet.
func (r *request) second() string {
	var p struct {
		Path string
		Rest []byte `ssh:"rest"`
	}
	ssh.Unmarshal(r.Rest, &p) // the server ends the session where there is none
	return p.Path
}

// writes returns where a packet begins and ends to write.
func (r *request) writes() (begin, end uint64) {
	begin = binary.BigEndian.Uint64(r.Rest)
	return begin, begin + uint64(binary.BigEndian.Uint32(r.Rest[8:]))
}

// local returns what a client's path is here.
func (f *fileFilter) local(name string) string {
	if !path.IsAbs(name) {
		name = path.Join(f.home, name)
	}
	if runtime.GOOS == "windows" { // "/C:/folder"
		name = strings.TrimPrefix(name, "/")
	}
	return filepath.FromSlash(name)
}

// modeIn returns the mode in the attributes of a file, or another if they have none.
func modeIn(attributes []byte, otherwise fs.FileMode) fs.FileMode {
	if len(attributes) < 4 {
		return otherwise
	}
	flags, at := binary.BigEndian.Uint32(attributes), 4
	for _, flag := range []uint32{attrSize, attrUIDGID} {
		if flags&flag != 0 {
			at += 8
		}
	}
	if flags&attrPermissions == 0 || len(attributes) < at+4 {
		return otherwise
	}
	return fs.FileMode(binary.BigEndian.Uint32(attributes[at:])).Perm()
}

// packetOf returns a packet of its parts, as package ssh encodes them.
func packetOf(kind byte, parts any) []byte {
	body := ssh.Marshal(parts)
	packet := append(binary.BigEndian.AppendUint32(nil, uint32(1+len(body))), kind)
	return append(packet, body...)
}

// pathPacket returns a packet with a path of this system.
func pathPacket(kind byte, id uint32, name string) []byte {
	name = path.Join("/", filepath.ToSlash(name)) // "/C:/folder"
	return packetOf(kind, &request{ID: id, Name: name})
}

// statusPacket returns the answer that tells of an error, or that there is none.
func statusPacket(id uint32, err error) []byte {
	const ok, noSuchFile, permissionDenied, failure = 0, 2, 3, 4
	code, text := uint32(failure), ""
	switch {
	case err == nil:
		code = ok
	case errors.Is(err, fs.ErrNotExist):
		code = noSuchFile
	case errors.Is(err, fs.ErrPermission):
		code = permissionDenied
	}
	if err != nil {
		text = err.Error()
	}
	return packetOf(packetStatus, &struct {
		ID, Code       uint32
		Text, Language string
	}{id, code, text, ""})
}
