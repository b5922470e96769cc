// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix

package sshcmd

import "io/fs"

func umask() fs.FileMode { return 0 }
