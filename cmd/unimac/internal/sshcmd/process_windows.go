// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"cmp"
	"os"
	"os/exec"
	"syscall"
)

func shell() string { return cmp.Or(os.Getenv("COMSPEC"), "cmd.exe") }

// commandInShell passes command to cmd.exe verbatim, because cmd.exe does not
// understand package exec's quoting.
func commandInShell(command string) *exec.Cmd {
	cmd := exec.Command(shell())
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `"` + shell() + `" /s /c "` + command + `"`}
	return cmd
}
