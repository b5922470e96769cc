// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix

package sshcmd

import "io/fs"

// ownerOf reports that the owner is unknown. On these systems, file modes do not show
// who can write a file, either.
func ownerOf(fs.FileInfo) (user int, known bool) { return 0, false }
