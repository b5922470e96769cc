// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix

package sshcmd

import (
	"io/fs"
	"sync"
	"syscall"
)

// umask returns what the user's new files are not allowed. To ask changes it for a moment.
var umask = sync.OnceValue(func() fs.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fs.FileMode(mask)
})
