// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix

package cli

import (
	"os"
	"syscall"
)

var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// quitSignal is what Ctrl-\ sends, and stopSignals are what Ctrl-Z does.
var quitSignal os.Signal = syscall.SIGQUIT
var stopSignals = []os.Signal{syscall.SIGTSTP}
