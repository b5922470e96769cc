// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix

package sshcmd

import (
	"io/fs"
	"sync"
	"syscall"
)

const (
	// neverWait opens a pipe without waiting for its other end, which may never come.
	neverWait = syscall.O_NONBLOCK
	// noFollow opens no symbolic link.
	noFollow = syscall.O_NOFOLLOW
)

// umask returns what the user's new files are not allowed. To ask changes it for a moment.
var umask = sync.OnceValue(func() fs.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fs.FileMode(mask)
})
