// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"github.com/unimac/unimac/aead/stream"
)

func sealCommand() *command {
	return &command{
		name:  "seal",
		args:  "-k KEYFILE [-o OUTPUT] [-f] [FILE]",
		short: "encrypt and authenticate a file, for open to restore",
		long: `Encrypts FILE and authenticates it, so that "unimac open" with the same key gives
it back or notices a change. Without FILE, or where it is -, it reads standard
input. Files may have any size: memory stays small.

The result goes to OUTPUT, or to standard output without -o or where OUTPUT is -.
OUTPUT appears when it is complete and on the disk, readable by its owner alone,
and not at all if anything fails. One that exists is overwritten only with -f, and
may then be FILE itself.

The format is unimac stream v1, that of package aead/stream: ChaCha20-BLAKE2b in
chunks of 64 KiB. It hides everything but the length. Nobody finds a file that
opens under two keys.`,
		run: runSeal,
	}
}

func runSeal(c *call) int {
	j, status, done := c.parseSealing()
	if done {
		return status
	}
	if j.outPath == "-" && isTerminal(c.stdout.w) {
		return c.errorf("standard output %s", errTerminal)
	}
	return j.run(j.seal)
}

// seal seals the input.
func (j *sealing) seal(in *progress, out *output) error {
	w, err := stream.NewWriter(out, j.master.derive(streamLabel, streamKeySize))
	if err != nil {
		return err
	}
	if _, err := w.ReadFrom(in); err != nil {
		return err
	}
	return w.Close()
}
