// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix || aix

package sshcmd

import (
	"io"
	"os"
	"os/exec"
	"syscall"

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
func signalGroup(*exec.Cmd, ssh.Signal) error                { return errUnsupported }
func outliveReaders()                                        {}
func hangup(cmd *exec.Cmd)                                   { cmd.Process.Kill() }
func endedBySignal(*os.ProcessState) (ssh.Signal, bool)      { return "", false }
func exitStatus(state *os.ProcessState) uint32               { return uint32(state.ExitCode()) }

// unlink removes a file. Unlike [os.Remove], it does not remove a folder.
func unlink(name string) error {
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		return syscall.EISDIR
	}
	return os.Remove(name)
}

// rmdir removes an empty folder.
func rmdir(name string) error {
	if info, err := os.Lstat(name); err == nil && !info.IsDir() {
		return syscall.ENOTDIR
	}
	return os.Remove(name)
}

func rename(from, to string) error { return os.Rename(from, to) }
