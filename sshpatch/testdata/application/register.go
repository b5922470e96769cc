// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"

	"github.com/unimac/unimac/sshpatch"
)

func init() {
	register = outcome(sshpatch.Register)
	accelerate = outcome(sshpatch.Accelerate)
}

// outcome returns a function that calls f and classifies its error.
func outcome(f func() error) func() (outcome, reason string) {
	return func() (outcome, reason string) {
		switch err := f(); {
		case err == nil:
			return "", ""
		case errors.Is(err, sshpatch.ErrFIPS):
			return "FIPS", err.Error()
		case errors.Is(err, sshpatch.ErrIncompatible):
			return "incompatible", err.Error()
		default:
			return "another error", err.Error()
		}
	}
}
