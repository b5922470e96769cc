// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix

package cli

import (
	"bytes"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Ctrl-\ sends quitSignal, and Ctrl-Z sends stopSignals.
var quitSignal os.Signal = syscall.SIGQUIT
var stopSignals = []os.Signal{syscall.SIGTSTP}

// Owner returns the user ID of a file's owner.
func Owner(info fs.FileInfo) (user int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// readSecret reads a line from a terminal without echo. Unlike [term.ReadPassword], it
// also accepts Ctrl-D as the end of a line.
func readSecret(fd int) ([]byte, error) {
	shown, err := unix.IoctlGetTermios(fd, GetTermios)
	if err != nil {
		return nil, err
	}
	hidden := *shown
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	hidden.Iflag |= unix.ICRNL
	if err := unix.IoctlSetTermios(fd, SetTermios, &hidden); err != nil {
		return nil, err
	}
	defer unix.IoctlSetTermios(fd, SetTermios, shown)
	line := make([]byte, 64<<10) // longer than any terminal line
	for {
		n, err := unix.Read(fd, line)
		if err != unix.EINTR {
			return bytes.TrimSuffix(line[:max(n, 0)], []byte("\n")), err
		}
	}
}
