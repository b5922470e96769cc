// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"io"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func sealCommand() *cli.Command {
	return &cli.Command{
		Name:  "seal",
		Args:  "-k KEYFILE|-p|-passphrase-file FILE [-o OUTPUT|-suffix SUFFIX] [-f] [FILE…]",
		Short: "encrypt and authenticate a file, for open to restore",
		Long: `Encrypts FILE and authenticates it, so that "unimac open" with the same key gives
it back or notices a change. Without FILE, or where it is -, it reads standard
input. Files may have any size: memory stays small.

The result goes to OUTPUT, or to standard output without -o or where OUTPUT is -.
OUTPUT appears when it is complete and on the disk, readable by its owner alone,
and not at all if anything fails. One that exists is overwritten only with -f, and
may then be FILE itself. With -suffix there may be several FILE, and each result is
next to its FILE with SUFFIX after its name. What is written to a device, such as
/dev/null, goes there as it comes. The key file is never overwritten. A run that is killed
can leave a file next to OUTPUT whose name begins with ".unimac-": nobody needs it,
and it may be removed.

In place of a key file, -p asks for a passphrase on the terminal, twice, and does not
show it. -passphrase-file reads it from a file with one line, which nobody but its
owner may read. It is taken byte for byte. The key is made from it by Argon2id
(RFC 9106) with 256 MiB of memory, 3 passes, 4 threads and a random salt. A header of
32 bytes before the stream says so: "unimacp1", the memory in KiB (4 bytes), the
passes and the threads (2 bytes each), all big-endian, and the salt (16 bytes). A
passphrase that can be guessed protects nothing: anyone who has the file can try
any number.

The format is unimac stream v2, that of package aead/stream: ChaCha20-BLAKE2b in
chunks of 64 KiB. It hides everything but the length. Nobody finds a file that
opens under two keys.`,
		Examples: []string{
			"unimac seal -k key -o notes.sealed notes",
			"unimac seal -p -suffix .sealed *.txt",
			"tar c folder | unimac seal -k key >folder.sealed",
		},
		New: newSeal,
	}
}

func newSeal(c *cli.Call) func() int {
	j := newSealing(c)
	return func() int {
		if err := j.checkArguments(); err != nil {
			return c.Usagef("%v", err)
		}
		if j.outPath == "-" && j.suffix == "" && cli.IsTerminal(c.Stdout.W) {
			return c.Errorf("standard output %s", errTerminal)
		}
		return j.runAll(func(name, suffix string) (string, error) { return name + suffix, nil }, j.prepareSeal)
	}
}

var errTerminal = errors.New("is a terminal, which sealed data would garble; name a file with -o")

// prepareSeal returns the job that seals, under the key file or a passphrase.
func (j *sealing) prepareSeal(in io.Reader) (job, io.Reader, error) {
	if j.keyPath != "" {
		master, err := j.masterKey()
		if err != nil {
			return nil, nil, err
		}
		return sealJob(nil, master.derive(streamLabel, streamKeySize)), in, nil
	}
	p, err := j.passphrase(true)
	if err != nil {
		return nil, nil, err
	}
	h := newPassphraseHeader()
	return sealJob(h.bytes(), h.key(p)), in, nil
}

// sealJob returns the job that writes a header and a stream.
func sealJob(header, key []byte) job {
	return func(in io.Reader, out io.Writer) error {
		if _, err := out.Write(header); err != nil {
			return err
		}
		w, err := stream.NewWriter(out, key)
		if err != nil {
			return err
		}
		if _, err := w.ReadFrom(in); err != nil {
			return err
		}
		return w.Close()
	}
}
