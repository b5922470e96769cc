// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"

	"golang.org/x/crypto/ssh"
)

// Types of packets, and flags (draft-ietf-secsh-filexfer-02, sections 3, 5 and 6.3).
const (
	packetInit, packetOpen, packetClose, packetWrite, packetFsetstat, packetOpendir = 1, 3, 4, 6, 10, 11
	packetRemove, packetMkdir, packetRmdir, packetRename, packetSymlink             = 13, 14, 15, 18, 20
	packetHandle, attrPermissions, attrTimes, openAppend                            = 102, 4, 8, 4
	statusOK, statusFailure                                                         = 0, 4
)

// A fileFilter passes requests on to a server of package sftp, one after the other. Where that
// would lose or show data, and OpenSSH's would not, it refuses one or does itself what that asks.
type fileFilter struct {
	io.ReadWriteCloser // the client
	home               string
	readOnly           bool
	buffer             []byte
	unread             []byte // what the server has not read of a request

	turn    chan struct{} // full while a request has no answer, which what follows is about
	opening *openFile     // what it is to open, or nil
	open    map[string]*openFile
	unsent  int // bytes of the answer that the server has yet to write
}

// An openFile is a file or a folder that a client has open.
type openFile struct {
	path    string
	was     fs.FileInfo // what the path led to then
	appends bool
}

// Read reads what the server is to have: a request when the one before is answered.
func (f *fileFilter) Read(p []byte) (n int, err error) {
	for len(f.unread) == 0 {
		if _, err := io.ReadFull(f.ReadWriteCloser, f.buffer[:4]); err != nil {
			return 0, err
		}
		size := 4 + int64(binary.BigEndian.Uint32(f.buffer))
		if size < 9 || size > int64(len(f.buffer)) {
			return 0, errors.New("malformed packet")
		}
		packet := f.buffer[:size]
		if _, err := io.ReadFull(f.ReadWriteCloser, packet[4:]); err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		var r struct {
			ID   uint32
			Name string // a path or a handle
			Rest []byte `ssh:"rest"`
		}
		if err := ssh.Unmarshal(packet[5:], &r); err != nil && packet[4] != packetInit {
			return 0, err
		}
		f.turn <- struct{}{}
		answer := f.check(packet[4], r.Name, r.Rest)
		if answer == nil {
			f.unread = packet
			continue
		}
		answer.ID = r.ID
		status := ssh.Marshal(answer)
		if _, err := f.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(status))), status...)); err != nil {
			return 0, err
		}
	}
	n = copy(p, f.unread)
	f.unread = f.unread[n:]
	return n, nil
}

// A fileStatus answers a request.
type fileStatus struct {
	ID       uint32 `sshtype:"101"` // which comes before it
	Code     uint32
	Message  string
	Language string
}

// done is the answer to a request that the filter did itself.
func done() *fileStatus { return &fileStatus{Code: statusOK, Message: "done"} }

// refused is the answer to one that nobody does.
func refused(why string) *fileStatus { return &fileStatus{Code: statusFailure, Message: why} }

// check returns the answer to a request that it does or refuses, or nil for one to pass on.
func (f *fileFilter) check(kind byte, name string, rest []byte) *fileStatus {
	here, flags, more := localPath(f.home, name), uint32(0), rest
	if len(rest) >= 4 {
		flags, more = binary.BigEndian.Uint32(rest), rest[4:]
	}
	switch h := f.open[name]; {
	case kind == packetOpen, kind == packetOpendir:
		if len(f.open) >= maxOpen {
			return refused("too many files are open")
		}
		if info, err := os.Stat(here); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			return refused("is a pipe, which could keep the server waiting")
		}
		f.opening = &openFile{path: here, appends: kind == packetOpen && flags&openAppend != 0}
	case kind == packetClose:
		delete(f.open, name)
	case h != nil && (kind == packetWrite && h.appends || kind == packetFsetstat && flags&attrTimes != 0):
		info, err := os.Stat(h.path) // by which the server sets times
		if err != nil || !os.SameFile(info, h.was) {
			return refused("another file has the name of the open one")
		}
		if kind == packetWrite && len(rest) >= 8 {
			binary.BigEndian.PutUint64(rest, uint64(info.Size()))
		}
	case f.readOnly: // the server refuses the others
	case kind == packetRemove: // the server removes folders, too
		if info, err := os.Lstat(here); err == nil && info.IsDir() {
			return refused("is a directory")
		}
	case kind == packetRmdir: // and files here
		if info, err := os.Lstat(here); err == nil && !info.IsDir() {
			return refused("is not a directory")
		}
	case kind == packetRename: // in place of what is there, by the server
		to := localPath(f.home, string(more))
		if info, err := os.Lstat(here); err == nil && info.Mode().IsRegular() && os.Link(here, to) == nil && os.Remove(here) == nil {
			return done()
		}
		if _, err := os.Lstat(to); err == nil {
			return refused("the new name exists")
		}
	case kind == packetMkdir: // always with mode 0755
		mode := fs.FileMode(0o777)
		if at := 8 * bits.OnesCount32(flags&3); flags&attrPermissions != 0 && len(more) >= at+4 {
			mode &= fs.FileMode(binary.BigEndian.Uint32(more[at:]))
		}
		if os.Mkdir(here, mode) == nil {
			return done()
		}
	case kind == packetSymlink: // to a path that begins in the home
		if os.Symlink(name, localPath(f.home, string(more))) == nil {
			return done()
		}
	}
	return nil
}

// Write writes an answer to the client, or a part of one.
func (f *fileFilter) Write(p []byte) (int, error) {
	if f.unsent == 0 { // it begins, with all but data
		f.unsent = 4 + int(binary.BigEndian.Uint32(p))
		if f.opening != nil && p[4] == packetHandle {
			f.opening.was, _ = os.Stat(f.opening.path)
			f.open[string(p[13:])] = f.opening
		}
		f.opening = nil
	}
	n, err := f.ReadWriteCloser.Write(p)
	if f.unsent -= len(p); f.unsent == 0 || err != nil { // after an error the rest does not come
		f.unsent = 0
		<-f.turn
	}
	return n, err
}
