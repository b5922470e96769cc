// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"errors"
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

const haveTerminals = true

// loginShell returns a shell with a name that begins with a dash, by which it
// knows that it is one for a login.
func loginShell() *exec.Cmd {
	cmd := exec.Command(shell())
	cmd.Args[0] = "-" + filepath.Base(cmd.Path)
	return cmd
}

// inOwnSession keeps a command without a terminal away from the server's, and
// prepares it for hangup.
func inOwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// startInTerminal starts a command in a new pseudo-terminal.
func startInTerminal(cmd *exec.Cmd, t *terminal) (*os.File, error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(master, &pty.Winsize{Cols: clamp(t.cols), Rows: clamp(t.rows)}); err != nil {
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
	// Package pty leaves a file whose Read nothing can end, neither Close nor a
	// deadline. This makes another of it.
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

// resize does without pty.Setsize, which undoes what startInTerminal did.
func resize(tty *os.File, cols, rows uint32) error {
	conn, err := tty.SyscallConn()
	if err != nil {
		return err
	}
	controlErr := conn.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: clamp(cols), Row: clamp(rows)})
	})
	return errors.Join(controlErr, err)
}

func clamp(n uint32) uint16 { return uint16(min(n, 1<<16-1)) }

// allowHangup makes hangup work where this program was started with SIGHUP
// ignored, as by nohup: commands would inherit that. A signal that is caught,
// here to do nothing, has its default effect again in what the program starts.
func allowHangup() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}

// outliveReaders keeps the program from ending when it writes to a pipe that nobody
// reads any more. It catches the signal for that, so that what it starts does not
// inherit it as ignored.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// hangup sends SIGHUP to the command and what it started.
func hangup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP) }

// signals are those that SSH has names for.
var signals = []ssh.Signal{
	ssh.SIGABRT, ssh.SIGALRM, ssh.SIGFPE, ssh.SIGHUP, ssh.SIGILL, ssh.SIGINT, ssh.SIGKILL,
	ssh.SIGPIPE, ssh.SIGQUIT, ssh.SIGSEGV, ssh.SIGTERM, ssh.SIGUSR1, ssh.SIGUSR2,
}

// endedBySignal returns the signal that ended a command, if one did for which
// SSH has a name.
func endedBySignal(state *os.ProcessState) (ssh.Signal, bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return "", false
	}
	name := ssh.Signal(strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG"))
	return name, slices.Contains(signals, name)
}

// exitStatus returns the status of a command in the way of a shell: 128 and the
// number of the signal that ended it.
func exitStatus(state *os.ProcessState) uint32 {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + uint32(status.Signal())
	}
	return uint32(state.ExitCode())
}

func unlink(name string) error     { return unix.Unlink(name) }
func rmdir(name string) error      { return unix.Rmdir(name) }
func rename(from, to string) error { return unix.Rename(from, to) }
