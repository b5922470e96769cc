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

func loginShell() *exec.Cmd {
	cmd := exec.Command(shell())
	cmd.Args[0] = "-" + filepath.Base(cmd.Path) // the dash marks a login shell
	return cmd
}

// inOwnSession detaches a command from the server's terminal and gives it its own
// process group, so that signalGroup can signal it.
func inOwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// startInTerminal starts a command in a new pseudo-terminal and returns the master.
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
	// Duplicate master in non-blocking mode. Package pty opens it in blocking mode, in
	// which neither Close nor a deadline interrupts Read.
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

// resize sets the size of a terminal. Unlike pty.Setsize, it does not switch the
// descriptor to blocking mode.
func resize(tty *os.File, size windowSize) error {
	return control(tty, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size.forSystem()) })
}

// readPending reads available output from a terminal without waiting. If there is none,
// it returns io.EOF.
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

// resetSignals makes the server's commands start with default signal actions. A child
// process keeps ignoring signals that the server ignores, such as SIGHUP under nohup.
// However, signals that the server catches revert to their default actions in the
// child. Therefore, resetSignals catches every ignored signal. It also catches SIGPIPE,
// so that writing to a closed pipe does not end the server.
func resetSignals() {
	for s := syscall.Signal(1); s < 32; s++ {
		if signal.Ignored(s) || s == syscall.SIGPIPE {
			signal.Notify(make(chan os.Signal, 1), s) // nobody reads the channel
		}
	}
}

func signalGroup(cmd *exec.Cmd, name ssh.Signal) error {
	if !slices.Contains(signals, name) {
		return errUnsupported
	}
	return syscall.Kill(-cmd.Process.Pid, unix.SignalNum("SIG"+string(name)))
}

// signals lists the signals in RFC 4254, section 6.10.
var signals = []ssh.Signal{
	ssh.SIGABRT, ssh.SIGALRM, ssh.SIGFPE, ssh.SIGHUP, ssh.SIGILL, ssh.SIGINT, ssh.SIGKILL,
	ssh.SIGPIPE, ssh.SIGQUIT, ssh.SIGSEGV, ssh.SIGTERM, ssh.SIGUSR1, ssh.SIGUSR2,
}

// exitOf returns a command's exit status. For a command killed by a signal, the status
// is 128 plus the signal number, and signal is the signal's SSH name, if it has one.
func exitOf(state *os.ProcessState) (status uint32, signal ssh.Signal) {
	wait, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !wait.Signaled() {
		return uint32(state.ExitCode()), ""
	}
	name := ssh.Signal(strings.TrimPrefix(unix.SignalName(wait.Signal()), "SIG"))
	if !slices.Contains(signals, name) {
		name = ""
	}
	return 128 + uint32(wait.Signal()), name
}

func rename(from, to string) error { return unix.Rename(from, to) }
