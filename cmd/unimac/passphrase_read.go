// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
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
	line, err := cli.ReadSecret(path, maxPassphrase+3)
	if err != nil {
		return nil, err
	}
	// On the terminal such a passphrase could not be typed.
	if err := foreignEncoding(line); err != nil {
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

// askPassphrase asks for a passphrase on the terminal; twice if it is a new one.
func askPassphrase(what string, isNew bool) ([]byte, error) {
	terminal, err := cli.OpenTerminal()
	if err != nil {
		return nil, errNoTerminal
	}
	defer terminal.Close()
	p, err := terminal.ReadSecret(what + ": ")
	if err == nil {
		err = checkPassphrase(p)
	}
	if err != nil || !isNew {
		return p, err
	}
	again, err := terminal.ReadSecret(what + " again: ")
	if err == nil && !bytes.Equal(p, again) {
		err = errOtherPassphrase
	}
	return p, err
}
