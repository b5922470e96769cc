// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"

	"github.com/unimac/unimac/sshpatch"
)

func init() {
	register = func() (outcome, reason string) {
		switch err := sshpatch.Register(); {
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
