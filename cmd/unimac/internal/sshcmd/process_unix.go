// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

const supportsTerminals = true

// loginShell returns a command that runs a login shell. A dash before the shell's name
// marks it as a login shell.
func loginShell() *exec.Cmd {
	cmd := exec.Command(shell())
	cmd.Args[0] = "-" + filepath.Base(cmd.Path)
	return cmd
}

// inOwnSession detaches a command from the server's terminal. It makes the command the
// leader of a process group, because hangup signals the group.
func inOwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// startInTerminal starts a command in a new pseudo-terminal.
func startInTerminal(cmd *exec.Cmd, t *terminal) (*os.File, error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer master.Close()
	defer tty.Close()
	size := t.windowSize.forSystem()
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, size); err != nil {
		return nil, err
	}
	if err := setModes(int(tty.Fd()), t.modes); err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Env, "SSH_TTY="+tty.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	// Duplicate the descriptor and make the duplicate non-blocking, because the file
	// from package pty is in blocking mode, in which neither Close nor a deadline can
	// interrupt Read.
	syscall.ForkLock.RLock()
	fd, err := unix.Dup(int(master.Fd()))
	if err == nil {
		unix.CloseOnExec(fd)
		err = unix.SetNonblock(fd, true)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, err
	}
	return os.NewFile(uintptr(fd), master.Name()), nil
}

// resize sets the size of a terminal. It does not use pty.Setsize, because that
// function would return the descriptor to blocking mode.
func resize(tty *os.File, size windowSize) error {
	return control(tty, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size.forSystem()) })
}

// readPending reads output that a terminal already contains, without waiting for more.
// If the terminal contains no output, readPending returns io.EOF.
func readPending(tty *os.File, p []byte) (n int, err error) {
	err = control(tty, func(fd int) error {
		n, err = unix.Read(fd, p)
		return err
	})
	if n <= 0 || err != nil {
		return 0, io.EOF
	}
	return n, nil
}

// control calls f with a terminal's descriptor, which remains in non-blocking mode.
func control(tty *os.File, f func(fd int) error) error {
	conn, err := tty.SyscallConn()
	if err != nil {
		return err
	}
	controlErr := conn.Control(func(fd uintptr) { err = f(int(fd)) })
	return errors.Join(controlErr, err)
}

func (s windowSize) forSystem() *unix.Winsize {
	clamp := func(n uint32) uint16 { return uint16(min(n, 1<<16-1)) }
	return &unix.Winsize{Row: clamp(s.Rows), Col: clamp(s.Cols), Xpixel: clamp(s.Width), Ypixel: clamp(s.Height)}
}

// resetSignals catches the signals that were ignored when this program started. For
// example, nohup ignores SIGHUP, and a script ignores SIGINT for a program in the
// background. Commands would inherit ignored signals, whereas caught signals have their
// default action in new processes.
func resetSignals() {
	for s := syscall.Signal(1); s < 32; s++ {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // which nobody reads
		}
	}
}

// outliveReaders prevents SIGPIPE from ending the program when the program writes to a
// pipe without readers. It catches the signal instead of ignoring it, because commands
// would inherit an ignored signal.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// hangup sends SIGHUP to the process group of the command.
func hangup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP) }

// signalGroup sends a signal to the process group of the command.
func signalGroup(cmd *exec.Cmd, name ssh.Signal) error {
	if !slices.Contains(signals, name) {
		return errUnsupported
	}
	return syscall.Kill(-cmd.Process.Pid, unix.SignalNum("SIG"+string(name)))
}

// signals lists the signals that have a name in SSH.
var signals = []ssh.Signal{
	ssh.SIGABRT, ssh.SIGALRM, ssh.SIGFPE, ssh.SIGHUP, ssh.SIGILL, ssh.SIGINT, ssh.SIGKILL,
	ssh.SIGPIPE, ssh.SIGQUIT, ssh.SIGSEGV, ssh.SIGTERM, ssh.SIGUSR1, ssh.SIGUSR2,
}

// endedBySignal returns the signal that ended a command. It reports false if no signal
// ended the command or if the signal has no name in SSH.
func endedBySignal(state *os.ProcessState) (ssh.Signal, bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return "", false
	}
	name := ssh.Signal(strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG"))
	return name, slices.Contains(signals, name)
}

// exitStatus returns a command's exit status in the same form as a shell. If a signal
// ended the command, the status is 128 plus the signal number.
func exitStatus(state *os.ProcessState) uint32 {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + uint32(status.Signal())
	}
	return uint32(state.ExitCode())
}

func unlink(name string) error     { return unix.Unlink(name) }
func rmdir(name string) error      { return unix.Rmdir(name) }
func rename(from, to string) error { return unix.Rename(from, to) }
