// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix || aix

package sshcmd

import (
	"os"
	"os/exec"

	"golang.org/x/crypto/ssh"
)

// Here there are no pseudo-terminals, no groups of processes and no signals.

const haveTerminals = false

func loginShell() *exec.Cmd                                  { return exec.Command(shell()) }
func inOwnSession(*exec.Cmd)                                 {}
func startInTerminal(*exec.Cmd, *terminal) (*os.File, error) { return nil, errUnsupported }
func resize(*os.File, uint32, uint32) error                  { return errUnsupported }
func allowHangup()                                           {}
func outliveReaders()                                        {}
func hangup(cmd *exec.Cmd)                                   { cmd.Process.Kill() }
func endedBySignal(*os.ProcessState) (ssh.Signal, bool)      { return "", false }
func exitStatus(state *os.ProcessState) uint32               { return uint32(state.ExitCode()) }
