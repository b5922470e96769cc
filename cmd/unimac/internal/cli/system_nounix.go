// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix

package cli

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/term"
)

var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// These signals exist only on Unix.
var quitSignal os.Signal
var stopSignals []os.Signal

// Owner reports that a file's owner is unknown.
func Owner(fs.FileInfo) (user int, known bool) { return 0, false }

// readSecret reads a line from a terminal without echo.
func readSecret(fd int) ([]byte, error) { return term.ReadPassword(fd) }
