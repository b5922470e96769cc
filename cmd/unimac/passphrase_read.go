// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/term"
)

// maxPassphrase is the size in bytes of the longest passphrase.
const maxPassphrase = 4096

var (
	errNoPassphrase    = errors.New("the passphrase is empty")
	errLongPassphrase  = fmt.Errorf("the passphrase has more than %d bytes", maxPassphrase)
	errManyLines       = errors.New("not a passphrase file: it has more than one line")
	errOtherPassphrase = errors.New("the passphrases differ")
	errNoTerminal      = errors.New("no terminal to ask for the passphrase; -passphrase-file names one")
)

// readPassphraseFile returns the one line that a file has, without its end.
func readPassphraseFile(path string) ([]byte, error) {
	line, err := readSecret(path, maxPassphrase+3)
	if err != nil {
		return nil, err
	}
	if rest, ok := bytes.CutSuffix(line, []byte("\n")); ok {
		line = bytes.TrimSuffix(rest, []byte("\r"))
	}
	if bytes.ContainsAny(line, "\r\n") {
		return nil, errManyLines
	}
	return line, checkPassphrase(line)
}

func checkPassphrase(p []byte) error {
	switch {
	case len(p) == 0:
		return errNoPassphrase
	case len(p) > maxPassphrase:
		return errLongPassphrase
	}
	return nil
}

// askPassphrase asks for a passphrase on the terminal that controls the program,
// whatever its standard streams are; twice if it is a new one.
func askPassphrase(isNew bool) ([]byte, error) {
	in, out, err := openTerminal()
	if err != nil {
		return nil, errNoTerminal
	}
	defer in.Close()
	defer out.Close()
	p, err := readWithoutEcho(in, out, "Passphrase: ")
	if err != nil || !isNew {
		return p, err
	}
	again, err := readWithoutEcho(in, out, "Passphrase again: ")
	if err == nil && !bytes.Equal(p, again) {
		err = errOtherPassphrase
	}
	return p, err
}

// openTerminal returns the terminal, to read from and to write to.
func openTerminal() (in, out *os.File, err error) {
	inName, outName := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		inName, outName = "CONIN$", "CONOUT$"
	}
	if in, err = os.OpenFile(inName, os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile(outName, os.O_RDWR, 0); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// readWithoutEcho reads a line from a terminal. A signal that ends the program
// meanwhile brings the echo back before.
func readWithoutEcho(in, out *os.File, prompt string) ([]byte, error) {
	fd := int(in.Fd())
	signals := catchEndingSignals()
	state, err := term.GetState(fd)
	if err != nil {
		signals.release()
		return nil, errNoTerminal
	}
	defer signals.call(func() { term.Restore(fd, state) })()
	fmt.Fprint(out, prompt)
	line, err := term.ReadPassword(fd)
	fmt.Fprintln(out)
	if err != nil {
		return nil, err
	}
	return line, checkPassphrase(line)
}
