// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"fmt"

	"github.com/unimac/unimac/aead/stream"
)

func openCommand() *command {
	return &command{
		name:  "open",
		args:  "-k KEYFILE [-o OUTPUT] [-f] [FILE]",
		short: "restore a file that seal made",
		long: `Decrypts FILE, which "unimac seal" made, and verifies that nothing in it was
changed, added, left out or moved. Without FILE, or where it is -, it reads
standard input.

The result goes to OUTPUT, or to standard output without -o or where OUTPUT is -.
OUTPUT appears when all of it was verified and is on the disk, readable by its
owner alone, and not at all if anything fails. One that exists is overwritten only
with -f, and may then be FILE itself.

Nothing that is not authentic is written, not even to standard output. But what
went there before an error is only a beginning: use it if the exit status is 0.

The exit status is 1 for a wrong key and for a damaged file, and the message says
which. Where the very beginning does not open, these two look the same, and the
message says so.`,
		run: runOpen,
	}
}

func runOpen(c *call) int {
	j, status, done := c.parseSealing()
	if done {
		return status
	}
	return j.run(j.open)
}

// open opens the input.
func (j *sealing) open(in *progress, out *output) error {
	r, err := stream.NewReader(in, j.master.derive(streamLabel, streamKeySize))
	if err != nil {
		return diagnosis(err, 0)
	}
	n, err := r.WriteTo(out)
	return diagnosis(err, n)
}

// diagnosis says in a user's words what an error of package stream means, after
// opened bytes came out. If any did, the key is right. Other errors stay.
func diagnosis(err error, opened int64) error {
	switch {
	case errors.Is(err, stream.ErrAuth) && opened == 0:
		return errors.New("wrong key, or the file is damaged at its beginning")
	case errors.Is(err, stream.ErrAuth):
		return fmt.Errorf("damaged: the key is right, but what follows the first %d bytes of content was changed or cut short", opened)
	case errors.Is(err, stream.ErrTruncated):
		return errors.New("damaged: the end is missing")
	case errors.Is(err, stream.ErrFormat) && opened > 0:
		return errors.New("damaged: something follows its end")
	case errors.Is(err, stream.ErrFormat):
		return errors.New("not a file that unimac seal made, or damaged in its first bytes")
	}
	return err
}
