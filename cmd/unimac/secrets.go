// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// secrets holds the sources of keys and passphrases given by the user.
type secrets struct {
	keyPaths       []string
	passphrasePath string
	ask            bool   // ask for the passphrase on the terminal
	typed          []byte // the passphrase, after it was read

	cost passphraseHeader // parameters for new passphrases

	masters map[string]*masterKey // keys already read, by path
}

func (s *secrets) keyFlag(c *cli.Call) {
	c.Flags.Func("k", "the key `file`, made by unimac keygen", func(path string) error {
		s.keyPaths = append(s.keyPaths, path)
		return nil
	})
}

// keyFlags defines -k, and -passphrase-file for the key file's passphrase.
func keyFlags(c *cli.Call) *secrets {
	s := new(secrets)
	s.keyFlag(c)
	c.Flags.StringVar(&s.passphrasePath, "passphrase-file", "", "a `file` with the passphrase of the key file on its only line")
	return s
}

func (s *secrets) kdfFlags(c *cli.Call) {
	s.cost = passphraseCost
	define := func(name, usage string, minimum, maximum uint64, set func(n uint64)) {
		c.Flags.Func(name, usage, func(text string) error {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil || n < minimum || n > maximum {
				return fmt.Errorf("want %d to %d", minimum, maximum)
			}
			set(n)
			return nil
		})
	}
	define("kdf-memory", "the `MiB` of memory that Argon2id uses for a new passphrase (default 256)", minNewMemory>>10, maxArgonMemory>>10, func(n uint64) { s.cost.Memory = uint32(n) << 10 })
	define("kdf-time", "the `passes` of Argon2id over the memory for a new passphrase (default 3)", minNewTime, maxArgonTime, func(n uint64) { s.cost.Time = uint16(n) })
}

// checkCost returns an error if -kdf-memory times -kdf-time is too large. The flags
// apply only to new passphrases, so if newPassphrase is false, checkCost also returns
// an error if either flag differs from its default.
func (s *secrets) checkCost(newPassphrase bool) error {
	switch {
	case s.cost == passphraseCost:
	case !newPassphrase:
		return errors.New("-kdf-memory and -kdf-time need a new passphrase, from -p or -passphrase-file")
	case s.cost.Memory*uint32(s.cost.Time) > maxArgonWork:
		return fmt.Errorf("-kdf-memory times -kdf-time is %d, want at most %d", s.cost.Memory>>10*uint32(s.cost.Time), maxArgonWork>>10)
	}
	return nil
}

// loadKeys reads the key files given with -k. There must be between 1 and limit of
// them. On failure, loadKeys prints an error and returns nil and the exit status.
func (s *secrets) loadKeys(c *cli.Call, limit int) (masters []*masterKey, status int) {
	switch {
	case len(s.keyPaths) == 0 || s.keyPaths[0] == "":
		return nil, c.Usagef("no key file: name one with -k")
	case len(s.keyPaths) > limit:
		return nil, c.Usagef("%v", errManyKeys)
	}
	for _, path := range s.keyPaths {
		master, err := s.master(path)
		if err != nil {
			return nil, c.Errorf("%v", err)
		}
		masters = append(masters, master)
	}
	return masters, cli.ExitOK
}

var errManyKeys = errors.New("want one key file")

// master returns the key in the key file at path. If the file is sealed, master uses
// -passphrase-file or asks the user for the passphrase.
func (s *secrets) master(path string) (*masterKey, error) {
	if master := s.masters[path]; master != nil {
		return master, nil
	}
	asked := false
	master, err := readKey(path, func() ([]byte, error) {
		asked = true
		if s.passphrasePath == "" {
			return askPassphrase("Passphrase of "+cli.Name(path), false)
		}
		return s.passphrase(false)
	})
	if err == nil && !asked && s.passphrasePath != "" && len(s.keyPaths) == 1 {
		err = errors.New("is not under a passphrase; omit -passphrase-file")
	}
	if err != nil {
		return nil, explain(path, err)
	}
	if s.masters == nil {
		s.masters = make(map[string]*masterKey)
	}
	s.masters[path] = master // later files need not read it again
	return master, nil
}

// passphrase reads the passphrase from its file or from the terminal. On the terminal,
// the user must type a new passphrase twice.
func (s *secrets) passphrase(isNew bool) (p []byte, err error) {
	if s.typed != nil {
		return s.typed, nil
	}
	if s.ask {
		if p, err = askPassphrase("Passphrase", isNew); err != nil {
			return nil, explained{err.Error(), err}
		}
	} else if p, err = readPassphraseFile(s.passphrasePath); err != nil {
		return nil, explain(s.passphrasePath, err)
	}
	s.typed = p // later files need not ask again
	return p, nil
}

// explained is an error whose message already names the file, if there is one.
type explained struct {
	text  string
	cause error
}

func (e explained) Error() string { return e.text }

func (e explained) Unwrap() error { return e.cause }

// explain adds the file name to err, unless err is already explained.
func explain(path string, err error) error {
	if _, ok := errors.AsType[explained](err); ok {
		return err
	}
	return explained{cli.Name(path) + ": " + cli.Reason(err), err}
}

const maxPassphrase = 4096 // in bytes

// readPassphraseFile returns the single line of the file at path.
func readPassphraseFile(path string) ([]byte, error) {
	line, err := cli.ReadSecret(path, maxPassphrase+3)
	if err != nil {
		return nil, err
	}
	// Reject a byte order mark, because it cannot be typed on a terminal.
	if err := foreignEncoding(line); err != nil {
		return nil, err
	}
	if rest, ok := bytes.CutSuffix(line, []byte("\n")); ok {
		line = bytes.TrimSuffix(rest, []byte("\r"))
	}
	if bytes.ContainsAny(line, "\r\n") {
		return nil, errors.New("not a passphrase file: want one line, found more")
	}
	return line, checkPassphrase(line)
}

func checkPassphrase(p []byte) error {
	switch {
	case len(p) == 0:
		return errors.New("the passphrase is empty")
	case len(p) > maxPassphrase:
		return fmt.Errorf("the passphrase is too long, want at most %d bytes", maxPassphrase)
	}
	return nil
}

// askPassphrase asks for a passphrase on the terminal, twice if isNew is set.
func askPassphrase(what string, isNew bool) ([]byte, error) {
	terminal, err := cli.OpenTerminal()
	if err != nil {
		return nil, errors.New("no terminal to ask for the passphrase; give it in a file with -passphrase-file")
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
		err = errors.New("the passphrases differ")
	}
	return p, err
}
