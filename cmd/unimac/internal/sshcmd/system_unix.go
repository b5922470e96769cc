// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix

package sshcmd

import (
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

// ownerOf returns who owns a file.
func ownerOf(info fs.FileInfo) (user int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// onResize calls changed when the size of the terminal changes, until stop.
func onResize(changed func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGWINCH)
	go func() {
		for range signals {
			changed()
		}
	}()
	return func() {
		signal.Stop(signals) // none comes after it
		close(signals)
	}
}
