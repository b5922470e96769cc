// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package pyca runs pyca/cryptography's Cobblestone-128 in a process of Python.
package pyca

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/unimac/unimac/internal/bench/peer/process"
)

// ErrAbsent says that there is no Python with cryptography 50 or newer, neither python3 nor
// the one that UNIMAC_TEST_PYTHON names.
var ErrAbsent = errors.New("pyca: no cryptography.cobblestone")

//go:embed loops.py
var program string

// Run starts a process that seals or opens a message. The answer is the length of what comes
// out, 8 bytes, big-endian. The loop measures itself; stop ends the process.
func Run(answer []byte, what string, key, msg []byte) (loop func(n int) time.Duration, stop func(), err error) {
	python := cmp.Or(os.Getenv("UNIMAC_TEST_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import cryptography.cobblestone").Run(); err != nil {
		return nil, nil, fmt.Errorf("%w: %s: %w", ErrAbsent, python, err)
	}
	return process.Run(answer, [][]byte{key, msg}, python, "-c", program, what)
}
