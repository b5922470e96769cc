// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"io"
	"os"

	"github.com/unimac/unimac/aead"
)

// The label and the size of the key that streams are sealed under.
const (
	streamLabel   = "unimac stream v1"
	streamKeySize = aead.KeySize
)

// A sealing is one run of seal or open.
type sealing struct {
	*call
	inPath, outPath string
	force           bool

	// Where the key comes from: a file, or a passphrase in a file or asked for.
	keyPath, passphrasePath string
	ask                     bool
}

// parseSealing reads the arguments that seal and open share. If it reports done,
// the command ends with that status.
func (c *call) parseSealing() (j *sealing, status int, done bool) {
	j = &sealing{call: c, inPath: "-"}
	c.flags.StringVar(&j.keyPath, "k", "", "the key `file`, made by unimac keygen")
	c.flags.BoolVar(&j.ask, "p", false, "ask for a passphrase on the terminal")
	c.flags.StringVar(&j.passphrasePath, "passphrase-file", "", "a `file` with a passphrase on its one line")
	c.flags.StringVar(&j.outPath, "o", "-", "the `file` to write")
	c.flags.BoolVar(&j.force, "f", false, "overwrite the file to write if it exists")
	if status, done := c.parse(); done {
		return nil, status, true
	}
	switch len(c.args) {
	case 0:
	case 1:
		j.inPath = c.args[0]
	default:
		return nil, c.usagef("%d arguments, want one file at most", len(c.args)), true
	}
	if j.outPath == "" {
		return nil, c.usagef("the file to write has no name"), true
	}
	sources := 0
	for _, given := range []bool{j.keyPath != "", j.passphrasePath != "", j.ask} {
		if given {
			sources++
		}
	}
	switch {
	case sources == 0:
		return nil, c.usagef("no key file: name one with -k, or give -p for a passphrase"), true
	case sources > 1:
		return nil, c.usagef("want one of -k, -p and -passphrase-file alone"), true
	}
	return j, exitOK, false
}

// An explained error tells all that there is to tell: no name belongs before it.
type explained struct{ error }

// explain adds the name of a file to its error.
func explain(path string, err error) error {
	return explained{errors.New(escape(path) + ": " + reason(err))}
}

// masterKey reads the key file.
func (j *sealing) masterKey() (*masterKey, error) {
	master, err := readKey(j.keyPath)
	if err != nil {
		return nil, explain(j.keyPath, err)
	}
	return master, nil
}

// passphrase reads the passphrase from where it comes; twice if it is a new one
// that is typed.
func (j *sealing) passphrase(isNew bool) ([]byte, error) {
	if j.ask {
		p, err := askPassphrase(isNew)
		if err != nil {
			return nil, explained{err}
		}
		return p, nil
	}
	p, err := readPassphraseFile(j.passphrasePath)
	if err != nil {
		return nil, explain(j.passphrasePath, err)
	}
	return p, nil
}

// A job is what seal or open does with an input, once it has its key.
type job func(in io.Reader, out io.Writer) error

// run opens the files for a job, which prepare returns with what is left of the
// input. It returns the exit status.
func (j *sealing) run(prepare func(in io.Reader) (job, io.Reader, error)) int {
	f, err := (&inputs{stdin: j.stdin}).open(j.inPath)
	if err != nil {
		return j.errorf("%s: %s", escape(j.inPath), reason(err))
	}
	defer f.Close()
	// Nobody should type a passphrase in vain.
	target, err := checkOutput(j.outPath, j.force)
	if err == nil {
		err = j.spareSecret(target)
	}
	if err != nil {
		return j.errorf("%s: %s", escape(j.outPath), reason(err))
	}
	work, rest, err := prepare(f)
	if err != nil {
		return j.inputError(err)
	}
	out, err := j.createOutput(target, j.force)
	if err != nil {
		return j.errorf("%s: %s", escape(j.outPath), reason(err))
	}
	defer out.discard()

	in := j.newProgress(rest, inputSize(f), out)
	err = work(in, out)
	in.end(j.call, err == nil)
	switch {
	case out.err != nil && out.path == "-":
		return exitFailed // run, which calls all commands, tells why
	case err != nil && out.err == nil:
		out.discard()
		status := j.inputError(err)
		if out.path == "-" && out.written > 0 {
			j.errorf("standard output: incomplete, do not use it")
		}
		return status
	}
	if err := out.commit(); err != nil {
		return j.errorf("%s: %s", escape(j.outPath), reason(err))
	}
	return exitOK
}

var errIsSecret = errors.New("is what the key comes from, without which nothing would open")

// spareSecret refuses to replace the file that the key comes from.
func (j *sealing) spareSecret(target string) error {
	out, err := os.Stat(target)
	if target == "-" || err != nil {
		return nil // there is nothing to replace
	}
	for _, path := range []string{j.keyPath, j.passphrasePath} {
		if secret, err := os.Stat(path); err == nil && os.SameFile(secret, out) {
			return errIsSecret
		}
	}
	return nil
}

// inputError prints an error that the input has, unless it is explained.
func (j *sealing) inputError(err error) int {
	if _, ok := errors.AsType[explained](err); ok {
		return j.errorf("%v", err)
	}
	return j.errorf("%s: %s", escape(j.inPath), reason(err))
}
