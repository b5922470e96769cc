// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !windows

package sshcmd

import (
	"cmp"
	"os"
	"os/exec"
)

func shell() string { return cmp.Or(os.Getenv("SHELL"), "/bin/sh") }

func commandInShell(command string) *exec.Cmd { return exec.Command(shell(), "-c", command) }
