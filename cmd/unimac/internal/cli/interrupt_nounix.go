// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix && !wasm

package cli

import (
	"os"
	"syscall"
)

var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// quitSignal is none.
var quitSignal os.Signal
