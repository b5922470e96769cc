// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// A fileFilter passes requests on to a server of package sftp. That works on several at once:
// the filter has those wait that depend on others. Where the server would lose or show data,
// and OpenSSH's does not, the filter refuses a request or does itself what it asks for.
type fileFilter struct {
	io.ReadWriteCloser // the client
	home               string
	readOnly           bool
	open               *atomicCount // of the files and folders that the connection has open

	buffer [4 + maxFilePacket]byte
	unread []byte // what the server has not read of a packet
	last   byte   // the type of the packet before
	handle string // what that writes to
	offset uint64 // where it ends

	mu      sync.Mutex // of what follows
	fewer   *sync.Cond
	asked   int       // requests without an answer
	unsent  int       // bytes of an answer that the server has yet to write
	opening *openFile // what the one request that is asked is to open, or nil
	handles map[string]*openFile
}

// Read reads what the server is to have.
func (f *fileFilter) Read(p []byte) (n int, err error) {
	for len(f.unread) == 0 {
		packet, r, err := readRequest(f.ReadWriteCloser, f.buffer[:])
		if err != nil {
			return 0, err
		}
		if f.unread, err = f.pass(packet, &r); f.unread == nil {
			if _, err := f.ReadWriteCloser.Write(statusPacket(r.ID, err)); err != nil {
				return 0, err
			}
		}
	}
	n = copy(p, f.unread)
	f.unread = f.unread[n:]
	return n, nil
}

// pass waits until the server may have a packet, and returns what it is to have. If that is
// nothing, an error says what has been done instead. Together with others there are only
// reads, and writes of which each begins where the one before ends.
func (f *fileFilter) pass(packet []byte, r *request) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	kind := packet[4]
	together := kind == packetRead && f.last == packetRead
	if kind == packetWrite {
		h, before, begin := f.handles[r.Name], f.offset, uint64(0)
		begin, f.offset = r.writes()
		together = f.last == packetWrite && f.handle == r.Name && before == begin && h != nil && !h.appends
		f.handle = r.Name
	}
	for f.last = kind; f.asked > 0 && !(together && f.asked < maxAsked); {
		f.fewer.Wait()
	}
	packet, err := f.check(packet, r)
	if packet != nil {
		f.asked++
	}
	return packet, err
}

// check returns what the server is to have for a packet. What it looks at, nothing that is
// under way can change.
func (f *fileFilter) check(packet []byte, r *request) ([]byte, error) {
	name, h := f.local(r.Name), f.handles[r.Name]
	switch kind := packet[4]; {
	case kind == packetOpen, kind == packetOpendir:
		if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			return nil, errPipe
		}
		if !f.open.enter(maxOpen) {
			return nil, errManyOpen
		}
		f.opening = &openFile{path: name, appends: kind == packetOpen && r.flags()&openAppend != 0}
	case kind == packetClose && h != nil:
		delete(f.handles, r.Name)
		f.open.leave()
	case h != nil && (kind == packetWrite && h.appends || kind == packetFsetstat && r.flags()&attrTimes != 0):
		info, ok := h.here() // as the times go by the path
		if !ok {
			return nil, errReplaced
		} else if kind == packetWrite {
			binary.BigEndian.PutUint64(r.Rest, uint64(info.Size()))
		}
	case kind == packetRealpath:
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return pathPacket(kind, r.ID, real), nil
		}
	case f.readOnly: // the server refuses the others
	case kind == packetRemove, kind == packetRmdir:
		if info, err := os.Lstat(name); err == nil && info.IsDir() != (kind == packetRmdir) {
			return nil, errKind
		}
	case kind == packetRename:
		to := f.local(r.second())
		info, err := os.Lstat(name)
		if err == nil && info.Mode().IsRegular() && os.Link(name, to) == nil {
			return nil, os.Remove(name)
		}
		if _, err := os.Lstat(to); err == nil {
			return nil, fs.ErrExist
		}
	case kind == packetMkdir:
		return nil, os.Mkdir(name, modeIn(r.Rest, 0o777))
	case kind == packetSymlink: // whose target is no path of the client's
		return nil, os.Symlink(r.Name, f.local(r.second()))
	}
	return packet, nil
}

// Write writes an answer to the client, or a part of one.
func (f *fileFilter) Write(p []byte) (int, error) {
	n, err := f.ReadWriteCloser.Write(p)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unsent == 0 { // it begins, with all but data
		f.unsent = 4 + int(binary.BigEndian.Uint32(p))
		if f.opening != nil && p[4] == packetHandle {
			f.opening.was, _ = os.Stat(f.opening.path)
			f.handles[string(p[13:])] = f.opening
		} else if f.opening != nil {
			f.open.leave()
		}
		f.opening = nil
	}
	if f.unsent -= len(p); f.unsent == 0 || err != nil { // after an error the rest does not come
		f.unsent = 0
		f.asked--
		f.fewer.Signal()
	}
	return n, err
}
