// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package pyca runs pyca/cryptography's Cobblestone-128 in a Python process.
package pyca

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/unimac/unimac/internal/bench/peer/process"
)

//go:embed loops.py
var program string

// Run starts a process that seals or opens a message. The answer is the output length
// in 8 bytes, big-endian. loop and stop are those of [process.Run]. The peer is absent
// unless python3, or the interpreter named by UNIMAC_TEST_PYTHON, has cryptography 50
// or newer.
func Run(answer []byte, what string, key, msg []byte) (loop func(n int) time.Duration, stop func(), err error) {
	python := cmp.Or(os.Getenv("UNIMAC_TEST_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import cryptography.cobblestone").Run(); err != nil {
		return nil, nil, fmt.Errorf("%w: pyca: no cryptography.cobblestone: %s: %w", process.ErrAbsent, python, err)
	}
	return process.Run(answer, [][]byte{key, msg}, python, "-c", program, what)
}
