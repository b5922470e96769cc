// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

const (
	// maxOpen is how many files and folders a connection may have open at once: all
	// clients share what the system lets the server open.
	maxOpen = 500
	// maxAsked is how many requests a session may have under way at once. For each the
	// server of package sftp keeps up to 512 KiB.
	maxAsked = 16
)

// serveFiles returns what serves files to the session: all that the user may use.
func (s *session) serveFiles() (serve func(), err error) {
	readOnly := s.login.server.options.readOnly
	server, filter, err := newFileServer(s.channel, homeFolder(), readOnly, &s.login.files)
	if err != nil {
		return nil, err
	}
	return func() {
		status := uint32(0)
		if err := server.Serve(); err != nil {
			s.login.server.journal.errorf("%v: sftp: %v", s.login.conn.RemoteAddr(), err)
			status = 1
		}
		filter.end()
		s.channel.SendRequest("exit-status", false, ssh.Marshal(&struct{ Status uint32 }{status}))
		s.channel.Close()
	}, nil
}

// newFileServer returns a server of files and the filter before it.
func newFileServer(client io.ReadWriteCloser, home string, readOnly bool, open *atomicCount) (*sftp.Server, *fileFilter, error) {
	f := &fileFilter{ReadWriteCloser: client, home: filepath.ToSlash(home), readOnly: readOnly, open: open}
	f.fewer, f.handles = sync.NewCond(&f.mu), make(map[string]*openFile)
	options := []sftp.ServerOption{sftp.WithAllocator(), sftp.WithServerWorkingDirectory(f.home)}
	if readOnly {
		options = append(options, sftp.ReadOnly())
	}
	server, err := sftp.NewServer(f, options...)
	return server, f, err
}

// An openFile is a file or a folder that a client has open.
type openFile struct {
	path    string
	was     fs.FileInfo // what the path led to then
	appends bool
}

// here reports whether its path leads to it still.
func (h *openFile) here() (info fs.FileInfo, ok bool) {
	info, err := os.Stat(h.path)
	return info, err == nil && h.was != nil && os.SameFile(h.was, info)
}

var (
	errManyOpen = errors.New("too many open files")
	errPipe     = errors.New("a named pipe could keep the server waiting")
	errReplaced = errors.New("another file has the name by now")
	errKind     = errors.New("is a folder, or should be one")
)

// end forgets what the session has left open, also by a request whose answer is on the way.
func (f *fileFilter) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range f.handles {
		f.open.leave()
	}
	if f.opening != nil {
		f.opening = nil
		f.open.leave()
	}
}
