// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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

const sealLong = `Encrypts and authenticates FILE. "unimac open" with the same key restores it, or reports
that it was changed. Without FILE, or if FILE is -, seal reads standard input. Files may
have any size; seal needs little memory.

The result goes to OUTPUT, or to standard output without -o or if OUTPUT is -. OUTPUT
appears when it is complete and on the disk, readable by its owner only, and not at all
if seal fails. An existing file is overwritten only with -f, and may then be FILE itself.
If OUTPUT is a symbolic link, the file that it leads to is overwritten; a link that leads
to nothing is an error. With -suffix, several FILE may be given, and each result gets the
name of its FILE followed by SUFFIX. Devices and named pipes receive the result while it
is computed. The key file is never overwritten. If seal is killed, it may leave a file next
to OUTPUT whose name begins with ".unimac-"; you can remove this file.

If FILE is a regular file and its size or modification time changes while seal reads it,
seal reports this and leaves no OUTPUT. With -changed, seal only reports it.

Instead of a key file, -p asks for a passphrase on the terminal, twice, and does not
show it. -passphrase-file reads it from a file with one line, which only its owner may be
able to read. The passphrase is taken byte for byte; a file that begins with a byte order
mark is an error. Argon2id (RFC 9106) derives the key from the passphrase and a random
salt, with 4 threads, 256 MiB of memory and 3 passes over it. -kdf-memory and -kdf-time
change the last two; memory times passes must not exceed 2048 MiB, the limit of open. A
header of 32 bytes before the stream contains "unimacp1", the memory in KiB (4 bytes), the
passes and the threads (2 bytes each), all big-endian, and the salt (16 bytes). Anyone
who has the file can try any number of passphrases, so choose one that nobody can guess.
If the key file itself is under a passphrase, seal asks for it, or reads it with
-passphrase-file.

-context authenticates TEXT together with FILE, but does not store it. open must be given
the same -context.

The default format is unimac stream v2, which is specified next to package aead/stream:
ChaCha20-BLAKE2b in chunks of 64 KiB. It hides everything but the length. No file opens
under two keys. Tags commit to the content: even someone who has the key cannot construct
two chunks with one tag, which is easy in the other formats. With AES instructions, the
other formats are faster. With -format, seal writes another format, and open must be given
the same -format:

  unimacv2                   unimac stream v2, the default
  cobblestone128             Cobblestone-128 of c2sp.org/chunked-encryption, which
                             pyca/cryptography and filippo.io/cobblestone open
  cobblestone256             Cobblestone-256, with AES-256 in place of AES-128
  chunkedchacha20poly1305    the same with ChaCha20-Poly1305, for processors without
                             AES instructions
  chunkedaegis256x2          the same with AEGIS-256X2, for processors with them

The key of the last four is derived from the one in the key file, as "unimac keygen -h"
explains. With -raw-key, it is read from a file that contains the bytes of the key itself,
not hexadecimal digits: 16 bytes for cobblestone128, 32 for the other formats. With a
passphrase, the output of Argon2id replaces the key in the key file.

After one second, a line on the terminal shows the progress.`

func newSeal(c *cli.Call) func() int {
	j := newSealing(c)
	j.kdfFlags(c)
	c.Flags.BoolVar(&j.changed, "changed", false, "keep the result if the file changes while it is sealed")
	return func() int {
		if err := j.checkArguments(); err != nil {
			return c.Usagef("%v", err)
		}
		if len(j.keyPaths) > 1 {
			return c.Usagef("%v", errManyKeys)
		}
		if err := j.checkCost(!j.hasKey()); err != nil {
			return c.Usagef("%v", err)
		}
		if j.outPath == "-" && j.suffix == "" && cli.IsTerminal(c.Stdout.W) {
			return c.Errorf("standard output is a terminal, and sealed data is binary; name a file with -o")
		}
		return j.runAll(func(name, suffix string) (string, error) { return name + suffix, nil }, j.prepareSeal)
	}
}

// prepareSeal returns a filter for sealing the input, and the reader that the filter
// must read instead of in. The returned reader detects changes to a regular file.
func (j *sealing) prepareSeal(in io.Reader) (filter, io.Reader, error) {
	in = j.watch(in)
	if j.hasKey() {
		key, err := j.key(0)
		if err != nil {
			return nil, nil, err
		}
		return sealFilter(j.options(), nil, key), in, nil
	}
	work, err := j.sealNew(j.options())
	return work, in, err
}

// sealNew returns a filter that seals its input with a new passphrase.
func (s *secrets) sealNew(o stream.Options) (filter, error) {
	p, err := s.passphrase(true)
	if err != nil {
		return nil, err
	}
	h := s.cost
	rand.Read(h.Salt[:])
	key, err := h.key(p, o.Format)
	if err != nil {
		return nil, err
	}
	return sealFilter(o, h.bytes(), key), nil
}

// sealFilter returns a filter that writes header, followed by its sealed input.
func sealFilter(o stream.Options, header, key []byte) filter {
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

// A watchedFile reads a regular file and detects changes to it.
type watchedFile struct {
	*os.File
	before fs.FileInfo
	run    *sealing
}

// watch returns a watchedFile if the input is a regular file.
func (j *sealing) watch(in io.Reader) io.Reader {
	if j.inPath == "-" {
		in = j.Stdin
	}
	f, _ := in.(*os.File)
	before, err := f.Stat()
	if err != nil || !before.Mode().IsRegular() {
		return in
	}
	return &watchedFile{f, before, j}
}

// Read reads from the file. At the end of the file, Read checks whether the file has
// changed. If so, Read returns an error instead of io.EOF, so that the sealed stream
// stays incomplete. With -changed, Read only prints the error and returns io.EOF.
func (f *watchedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err != io.EOF {
		return n, err
	}
	after, err := f.Stat()
	switch before := f.before; {
	case err != nil:
		return n, err
	case before.Size() != after.Size():
		err = fmt.Errorf("changed while it was sealed, from %d to %d bytes", before.Size(), after.Size())
	// Files in /proc have size 0 and meaningless modification times.
	case before.Size() > 0 && !before.ModTime().Equal(after.ModTime()):
		err = errors.New("changed while it was sealed")
	default:
		return n, io.EOF
	}
	if !f.run.changed {
		return n, fmt.Errorf("%w; -changed seals it nevertheless", err)
	}
	f.run.inputError(err)
	return n, io.EOF
}
