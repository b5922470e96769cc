// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix

package sshcmd

import "syscall"

const (
	// neverWait opens a pipe without waiting for its other end, which may never come.
	neverWait = syscall.O_NONBLOCK
	// noFollow opens no symbolic link.
	noFollow = syscall.O_NOFOLLOW
)
