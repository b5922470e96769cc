// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
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
	master          *masterKey
	inPath, outPath string
	force           bool
}

// parseSealing reads the arguments that seal and open share, and the key. If it
// reports done, the command ends with that status.
func (c *call) parseSealing() (j *sealing, status int, done bool) {
	j = &sealing{call: c, inPath: "-"}
	keyPath := keyFlag(c)
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
	j.master, status = loadKey(c, *keyPath)
	return j, status, j.master == nil
}

// run lets work write the output from the input. It returns the exit status.
func (j *sealing) run(work func(in *progress, out *output) error) int {
	f, err := (&inputs{stdin: j.stdin}).open(j.inPath)
	if err != nil {
		return j.errorf("%s: %s", escape(j.inPath), reason(err))
	}
	defer f.Close()
	target, err := checkOutput(j.outPath, j.force)
	if err != nil {
		return j.errorf("%s: %s", escape(j.outPath), reason(err))
	}
	out, err := j.createOutput(target, j.force)
	if err != nil {
		return j.errorf("%s: %s", escape(j.outPath), reason(err))
	}
	defer out.discard()

	in := j.newProgress(f, out)
	err = work(in, out)
	in.end(j.call, err == nil)
	switch {
	case out.err != nil && out.path == "-":
		return exitFailed // run, which calls all commands, tells why
	case err != nil && out.err == nil:
		status := j.errorf("%s: %s", escape(j.inPath), reason(err))
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
