// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"io"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"
)

// serveFiles returns what serves files to the session: all that the user may
// use, or those below the root.
func (s *session) serveFiles() (serve func(), err error) {
	options := s.login.server.options
	tree, start := fileTree(system{}), filepath.ToSlash(homeFolder())
	if options.root != "" {
		root, err := os.OpenRoot(options.root)
		if err != nil {
			return nil, err
		}
		tree, start = rooted{root}, "/"
	}
	server := newFileServer(tree, start, options.readOnly, &s.login.files, s.channel)
	return func() {
		defer tree.Close()
		status := uint32(0)
		if err := server.Serve(); err != nil && err != io.EOF {
			s.login.server.journal.errorf("%v: sftp: %v", s.login.conn.RemoteAddr(), err)
			status = 1
		}
		s.channel.SendRequest("exit-status", false, ssh.Marshal(&struct{ Status uint32 }{status}))
		s.channel.Close()
	}, nil
}
