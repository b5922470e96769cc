// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"encoding/binary"
	"io"
	"io/fs"
	"sync"

	"golang.org/x/crypto/ssh"
)

// A modeReader passes packets of SFTP on and keeps what package sftp drops of them: the
// modes that new files and folders are to have.
type modeReader struct {
	io.ReadWriteCloser

	head   []byte // of the packet that is being read: its length and type
	body   []byte // the rest, of a type that has a mode
	unread int    // how many bytes of the rest are missing

	mu             sync.Mutex
	files, folders modeQueue
}

// A modeQueue has the modes of requests of one kind, which package sftp handles one
// after the other and in order.
type modeQueue []fs.FileMode

// The types of packets that have a mode, and flags in them (draft-ietf-secsh-filexfer-02,
// sections 3, 5 and 6.3).
const (
	packetOpen  = 3
	packetMkdir = 14

	openToWrite = 0x02 | 0x04 | 0x08 | 0x10 // to write, append, create or cut off

	attrSize        = 1
	attrUIDGID      = 2
	attrPermissions = 4
)

// Read reads what the client sends.
func (r *modeReader) Read(p []byte) (int, error) {
	n, err := r.ReadWriteCloser.Read(p)
	r.watch(p[:n])
	return n, err
}

func (r *modeReader) watch(data []byte) {
	const headSize = 5
	for len(data) > 0 {
		if n := min(headSize-len(r.head), len(data)); n > 0 {
			r.head, data = append(r.head, data[:n]...), data[n:]
			if len(r.head) < headSize {
				return
			}
			r.body, r.unread = r.body[:0], max(0, int(binary.BigEndian.Uint32(r.head))-1)
		}
		n := min(r.unread, len(data))
		if kind := r.head[headSize-1]; kind == packetOpen || kind == packetMkdir {
			r.body = append(r.body, data[:n]...)
		}
		data, r.unread = data[n:], r.unread-n
		if r.unread == 0 {
			r.note(r.head[headSize-1], r.body)
			r.head = r.head[:0]
		}
	}
}

// note keeps the mode of a packet. Package sftp ends the session at one that cannot be
// read.
func (r *modeReader) note(kind byte, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kind {
	case packetOpen:
		var p struct {
			ID         uint32
			Path       string
			Flags      uint32
			Attributes uint32
			Rest       []byte `ssh:"rest"`
		}
		if ssh.Unmarshal(body, &p) == nil && p.Flags&openToWrite != 0 {
			r.files = append(r.files, modeIn(p.Attributes, p.Rest, 0o666))
		}
	case packetMkdir:
		var p struct {
			ID         uint32
			Path       string
			Attributes uint32
			Rest       []byte `ssh:"rest"`
		}
		if ssh.Unmarshal(body, &p) == nil {
			r.folders = append(r.folders, modeIn(p.Attributes, p.Rest, 0o777))
		}
	}
}

// modeIn returns the mode in the attributes of a file, or another if they have none.
func modeIn(flags uint32, data []byte, otherwise fs.FileMode) fs.FileMode {
	at := 0
	for _, flag := range []uint32{attrSize, attrUIDGID} {
		if flags&flag != 0 {
			at += 8
		}
	}
	if flags&attrPermissions == 0 || len(data) < at+4 {
		return otherwise
	}
	return fs.FileMode(binary.BigEndian.Uint32(data[at:])).Perm()
}

// fileMode returns the mode of the file that is opened to be written next.
func (r *modeReader) fileMode() fs.FileMode { return r.next(&r.files, 0o666) }

// folderMode returns the mode of the folder that is made next.
func (r *modeReader) folderMode() fs.FileMode { return r.next(&r.folders, 0o777) }

func (r *modeReader) next(queue *modeQueue, otherwise fs.FileMode) fs.FileMode {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(*queue) == 0 {
		return otherwise
	}
	mode := (*queue)[0]
	*queue = (*queue)[1:]
	return mode
}
