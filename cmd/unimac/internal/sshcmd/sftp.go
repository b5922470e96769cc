// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

const (
	// maxOpen is the maximum number of open files and directories per session. All
	// clients share the server's file descriptors, so the limit keeps one session from
	// exhausting them.
	maxOpen = 200
	// maxFilePacket is the largest packet size accepted by package sftp.
	maxFilePacket = 256 << 10
)

// serveFiles returns a function for serving the user's files to the session.
func (s *session) serveFiles() (serve func(), err error) {
	server, err := newFileServer(s.channel, homeDirectory(), s.login.server.options.readOnly)
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

func newFileServer(client io.ReadWriteCloser, home string, readOnly bool) (*sftp.Server, error) {
	home, err := filepath.Abs(home) // if home is "", the working directory
	if err != nil {
		return nil, err
	}
	f := &fileFilter{
		ReadWriteCloser: client, home: "/" + strings.TrimPrefix(filepath.ToSlash(home), "/"), readOnly: readOnly,
		buffer: make([]byte, 4+maxFilePacket), pending: make(chan struct{}, 1), open: make(map[string]*openFile),
	}
	options := []sftp.ServerOption{sftp.WithAllocator()}
	if readOnly {
		options = append(options, sftp.ReadOnly())
	}
	return sftp.NewServer(f, options...)
}

// localPath converts a client's absolute path to a local path.
func localPath(name string) string {
	if runtime.GOOS == "windows" { // "/C:/directory" means "C:/directory"
		name = strings.TrimPrefix(name, "/")
	}
	return filepath.FromSlash(name)
}

const maxLinks = 32 // as in OpenSSH

// realPath resolves symbolic links like OpenSSH's sftp_realpath. The last element need
// not exist.
func realPath(name string) (string, error) {
	resolved, rest, more := "/", name, true
	for links := 0; rest != ""; {
		var element string
		switch element, rest, more = strings.Cut(rest, "/"); element {
		case "", ".":
			continue
		case "..":
			resolved = path.Dir(resolved)
			continue
		}
		next := path.Join(resolved, element)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !more:
			return next, nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			resolved = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; links > maxLinks+1 {
			err = syscall.ELOOP
		}
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			resolved = "/"
		}
		if rest = target + "/" + rest; !more {
			rest = target
		}
	}
	return resolved, nil
}

// renameNew renames a file without replacing an existing one.
func renameNew(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() { // A link fails if another client has just created the file.
		switch err := os.Link(from, to); {
		case err == nil:
			if err = syscall.Unlink(from); err != nil {
				syscall.Unlink(to)
			}
			return err
		case errors.Is(err, fs.ErrExist):
			return err
		}
	}
	if _, err := os.Stat(to); err == nil {
		return fs.ErrExist
	}
	return rename(from, to)
}
