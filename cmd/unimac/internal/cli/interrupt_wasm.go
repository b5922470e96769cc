// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import "os"

// endingSignals are none: WebAssembly has no signals, and there signal.Ignored
// panics.
var endingSignals []os.Signal

// quitSignal is none.
var quitSignal os.Signal
