// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/term"
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A Terminal is the controlling terminal, even if standard streams are redirected.
type Terminal struct{ in, out *os.File }

// OpenTerminal opens the controlling terminal.
func OpenTerminal() (*Terminal, error) {
	inName, outName := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		inName, outName = "CONIN$", "CONOUT$"
	}
	in, err := os.OpenFile(inName, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(outName, os.O_RDWR, 0)
	if err != nil {
		in.Close()
		return nil, err
	}
	return &Terminal{in, out}, nil
}

// Close closes the terminal.
func (t *Terminal) Close() {
	t.in.Close()
	t.out.Close()
}

// ReadSecret prints prompt and reads a line with echo disabled. If a signal ends the
// program, ReadSecret restores echo first. It ignores Ctrl-Z, because the shell would
// then echo the user's input.
func (t *Terminal) ReadSecret(prompt string) ([]byte, error) {
	fd := int(t.in.Fd())
	stop, err := withCleanUp(func() (cleanUp func(), err error) {
		state, err := term.GetState(fd)
		return func() { term.Restore(fd, state) }, err
	})
	if err != nil {
		return nil, err
	}
	defer stop()
	for _, s := range stopSignals {
		signal.Ignore(s)
		defer signal.Reset(s)
	}
	fmt.Fprint(t.out, prompt)
	line, err := readSecret(fd)
	fmt.Fprintln(t.out)
	return line, err
}
