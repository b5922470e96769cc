// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build aix || linux || solaris

package cli

import "golang.org/x/sys/unix"

// The requests for terminal settings, and the value that disables a control character.
const GetTermios, SetTermios, DisabledCharacter = unix.TCGETS, unix.TCSETS, 0
