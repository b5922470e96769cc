// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// newFileServer returns what serves files to the session: all that the user may
// use, or those below the root.
func (s *session) newFileServer() (serve func(), err error) {
	options := s.login.server.options
	files := &fileServer{tree: system{}, readOnly: options.readOnly}
	start := filepath.ToSlash(homeFolder())
	if options.root != "" {
		root, err := os.OpenRoot(options.root)
		if err != nil {
			return nil, err
		}
		files.tree, start = rooted{root}, "/"
	}
	files.start = start
	server := sftp.NewRequestServer(s.channel, sftp.Handlers{FileGet: files, FilePut: files, FileCmd: files, FileList: files},
		sftp.WithRSAllocator(), sftp.WithStartDirectory(start))
	return func() {
		defer files.tree.Close()
		status := uint32(0)
		if err := server.Serve(); err != nil && err != io.EOF {
			s.login.server.journal.errorf("%v: sftp: %v", s.login.conn.RemoteAddr(), err)
			status = 1
		}
		s.channel.SendRequest("exit-status", false, ssh.Marshal(&struct{ Status uint32 }{status}))
		s.channel.Close()
	}, nil
}
