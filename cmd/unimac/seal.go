// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"io"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func sealCommand() *cli.Command {
	return &cli.Command{
		Name:   "seal",
		Also:   []string{"encrypt", "lock"},
		Values: map[string][]string{"format": formatNames()},
		Args: "-k KEYFILE [-passphrase-file FILE] [-o OUTPUT] [FLAGS] [FILE…]\n" +
			"-raw-key FILE|-p|-passphrase-file FILE [-o OUTPUT] [FLAGS] [FILE…]",
		Short: "encrypt and authenticate a file, for open to restore",
		Long:  sealLong,
		Examples: []string{
			"unimac seal -k key -o notes.sealed notes",
			"unimac seal -p -suffix .sealed *.txt",
			"tar c folder | unimac seal -k key >folder.sealed",
			"unimac seal -raw-key shared.key -format cobblestone128 -o notes.sealed notes",
		},
		New: newSeal,
	}
}

const sealLong = `Encrypts FILE and authenticates it, so that "unimac open" with the same key gives
it back or notices a change. Without FILE, or where it is -, it reads standard
input. Files may have any size: memory stays small.

The result goes to OUTPUT, or to standard output without -o or where OUTPUT is -.
OUTPUT appears when it is complete and on the disk, readable by its owner alone,
and not at all if anything fails. One that exists is overwritten only with -f, and
may then be FILE itself. If it is a symbolic link, the file that the link leads to is
overwritten; a link that leads to nothing is an error. With -suffix there may be several
FILE, and each result is next to its FILE with SUFFIX after its name. What is written to a
device, such as /dev/null, goes there as it comes. The key file is never overwritten. A run
that is killed can leave a file next to OUTPUT whose name begins with ".unimac-": nobody
needs it, and it may be removed.

In place of a key file, -p asks for a passphrase on the terminal, twice, and does not
show it. -passphrase-file reads it from a file with one line, which nobody but its
owner may read. It is taken byte for byte, and not at all if the file begins with a
byte order mark. The key is made from it by Argon2id (RFC 9106) with 256 MiB of
memory, 3 passes, 4 threads and a random salt. A header of
32 bytes before the stream says so: "unimacp1", the memory in KiB (4 bytes), the
passes and the threads (2 bytes each), all big-endian, and the salt (16 bytes). A
passphrase that can be guessed protects nothing: anyone who has the file can try
any number. If the key file is under a passphrase itself, seal asks for that, or reads it
with -passphrase-file.

The format is unimac stream v2, that of package aead/stream: ChaCha20-BLAKE2b in
chunks of 64 KiB. It hides everything but the length. Nobody can make a file that
opens under two keys. The format costs time: with AVX-512 it takes 1.2 to 1.6 times the
processor time of cobblestone128, and about 1.35 times that of age; with AVX2 alone, twice
that of cobblestone128. What it gives is this: its tags of 32 bytes commit to all of the
content, so that not even someone who has the key can make two chunks with one tag. In the
other formats that is easy. And it needs no AES instructions.
With -format NAME the file is in another format, which open must be told, too:

  unimacv2                   unimac stream v2, the default
  cobblestone128             Cobblestone-128 of c2sp.org/chunked-encryption, which
                             pyca/cryptography and filippo.io/cobblestone open
  cobblestone256             Cobblestone-256, with AES-256 in place of AES-128
  chunkedchacha20poly1305    the same with ChaCha20-Poly1305, for processors without
                             AES instructions
  chunkedaegis256x2          the same with AEGIS-256X2, for processors with them

The context of the last four is empty. Their key is derived from the one in the key file, as
"unimac keygen -h" explains, or is read from a file with -raw-key: 16 bytes for
cobblestone128 and 32 for the others, as they are, not as hexadecimal digits. With a
passphrase, what Argon2id makes of it takes the place of the key in the file.`

func newSeal(c *cli.Call) func() int {
	j := newSealing(c)
	return func() int {
		if err := j.checkArguments(); err != nil {
			return c.Usagef("%v", err)
		}
		if len(j.keyPaths) > 1 {
			return c.Usagef("%v", errManyKeys)
		}
		if j.outPath == "-" && j.suffix == "" && cli.IsTerminal(c.Stdout.W) {
			return c.Errorf("standard output is a terminal, which sealed data would garble; name a file with -o")
		}
		return j.runAll(func(name, suffix string) (string, error) { return name + suffix, nil }, j.prepareSeal)
	}
}

// prepareSeal returns the job that seals, under the key file or a passphrase.
func (j *sealing) prepareSeal(in io.Reader) (job, io.Reader, error) {
	if j.hasKey() {
		key, err := j.key(0)
		if err != nil {
			return nil, nil, err
		}
		return sealJob(j.options(), nil, key), in, nil
	}
	p, err := j.passphrase(true)
	if err != nil {
		return nil, nil, err
	}
	h := newPassphraseHeader()
	return sealJob(j.options(), h.bytes(), h.key(p, j.format)), in, nil
}

// sealJob returns the job that writes a header and a stream.
func sealJob(o stream.Options, header, key []byte) job {
	return func(in io.Reader, out io.Writer) error {
		if _, err := out.Write(header); err != nil {
			return err
		}
		w, err := o.NewWriter(out, key)
		if err != nil {
			return err
		}
		if _, err := w.ReadFrom(in); err != nil {
			return err
		}
		return w.Close()
	}
}
