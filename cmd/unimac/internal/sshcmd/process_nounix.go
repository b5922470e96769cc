// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix || aix

package sshcmd

import (
	"io"
	"os"
	"os/exec"

	"golang.org/x/crypto/ssh"
)

// These systems have no pseudo-terminals, process groups or signals.

const supportsTerminals = false

func loginShell() *exec.Cmd                                  { return exec.Command(shell()) }
func inOwnSession(*exec.Cmd)                                 {}
func startInTerminal(*exec.Cmd, *terminal) (*os.File, error) { return nil, errUnsupported }
func resize(*os.File, windowSize) error                      { return errUnsupported }
func readPending(*os.File, []byte) (int, error)              { return 0, io.EOF }
func resetSignals()                                          {}
func exitOf(state *os.ProcessState) (uint32, ssh.Signal)     { return uint32(state.ExitCode()), "" }
func rename(from, to string) error                           { return os.Rename(from, to) }

func signalGroup(cmd *exec.Cmd, name ssh.Signal) error {
	if name != ssh.SIGHUP {
		return errUnsupported
	}
	return cmd.Process.Kill()
}
