// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"io"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

const (
	// maxOpen is how many files and folders a session may have open at once: all clients
	// share what the system lets the server open.
	maxOpen = 200
	// maxFilePacket is the length of the longest packet that package sftp takes.
	maxFilePacket = 256 << 10
)

// serveFiles returns what serves files to the session: all that the user may use.
func (s *session) serveFiles() (serve func(), err error) {
	readOnly := s.login.server.options.readOnly
	server, err := newFileServer(s.channel, homeFolder(), readOnly)
	if err != nil {
		return nil, err
	}
	return func() {
		status := uint32(0)
		if err := server.Serve(); err != nil {
			s.login.server.journal.errorf("%v: sftp: %v", s.login.conn.RemoteAddr(), err)
			status = 1
		}
		s.channel.SendRequest("exit-status", false, ssh.Marshal(&struct{ Status uint32 }{status}))
		s.channel.Close()
	}, nil
}

// newFileServer returns a server of files with a filter before it.
func newFileServer(client io.ReadWriteCloser, home string, readOnly bool) (*sftp.Server, error) {
	f := &fileFilter{
		ReadWriteCloser: client, home: filepath.ToSlash(home), readOnly: readOnly,
		buffer: make([]byte, 4+maxFilePacket), turn: make(chan struct{}, 1), open: make(map[string]*openFile),
	}
	options := []sftp.ServerOption{sftp.WithAllocator(), sftp.WithServerWorkingDirectory(f.home)}
	if readOnly {
		options = append(options, sftp.ReadOnly())
	}
	return sftp.NewServer(f, options...)
}

// localPath returns what a client's path is here.
func localPath(home, name string) string {
	if !path.IsAbs(name) {
		name = path.Join(home, name)
	}
	if runtime.GOOS == "windows" { // "/C:/folder"
		name = strings.TrimPrefix(name, "/")
	}
	return filepath.FromSlash(name)
}
