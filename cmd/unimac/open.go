// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func openCommand() *cli.Command {
	return &cli.Command{
		Name:   "open",
		Also:   []string{"decrypt", "unseal", "unlock"},
		Values: map[string][]string{"format": formatNames()},
		Args: "-k KEYFILE [-passphrase-file FILE] [-o OUTPUT] [FLAGS] [FILE…]\n" +
			"-raw-key FILE|-p|-passphrase-file FILE [-o OUTPUT] [FLAGS] [FILE…]",
		Short: "restore a file that seal made",
		Long: `Decrypts FILE, which "unimac seal" made, and verifies that nothing in it was
changed, added, left out or moved. Without FILE, or where it is -, it reads
standard input.

The result goes to OUTPUT, or to standard output without -o or where OUTPUT is -.
OUTPUT appears when all of it was verified and is on the disk, readable by its
owner alone, and not at all if anything fails. One that exists is overwritten only
with -f, and may then be FILE itself. The key file is never overwritten. A run that
is killed can leave a file next to OUTPUT whose name begins with ".unimac-": it holds
a part of the content, and should be removed.

Nothing that is not authentic is written, not even to standard output. But what
went there before an error is only a beginning: use it if the exit status is 0.

A file that was sealed with a passphrase opens with -p, which asks for it on the
terminal, or with -passphrase-file. The file says how much memory and time Argon2id
takes. It is refused if that is more than 1 GiB of memory, 16 passes, 16 threads, or
2 GiB as memory times passes.

With several -k it tries each in turn. If a key file is under a passphrase, open asks for
that, or reads it with -passphrase-file.

With -range OFFSET:LENGTH it writes only LENGTH bytes of the content from OFFSET on, or all
from there with "OFFSET:". It reads only what it needs, so FILE must be the name of a file.
A range that goes beyond the end is an error. What it writes is verified, and so is that
the file has its end. Other parts may be damaged.

A file that was sealed with -format or -raw-key opens with the same. It may also come
from another program that writes the format; "unimac seal -h" names them.

The exit status is 1 for a wrong key and for a damaged file, and the message says
which. If some of the first 64 bytes are damaged, these two can look the same, and the
message says so. With -format, a file in another format looks the same, too.`,
		Examples: []string{
			"unimac open -k key -o notes notes.sealed",
			"unimac open -p -suffix .sealed *.sealed",
			"unimac open -k key <folder.sealed | tar x",
			"unimac open -k key -k old.key -range 1048576:4096 disk.sealed",
			"unimac open -raw-key shared.key -format cobblestone128 -o notes notes.sealed",
		},
		New: newOpen,
	}
}

func newOpen(c *cli.Call) func() int {
	j := newSealing(c)
	c.Flags.Func("range", "give only these bytes of the content, as `OFFSET:LENGTH`", j.parseRange)
	return func() int {
		if err := j.checkArguments(); err != nil {
			return c.Usagef("%v", err)
		}
		return j.runAll(withoutSuffix, j.prepareOpen)
	}
}

// withoutSuffix returns the name of what a file holds.
func withoutSuffix(name, suffix string) (string, error) {
	opened, ok := strings.CutSuffix(name, suffix)
	if !ok || opened == "" || strings.HasSuffix(opened, "/") {
		return "", fmt.Errorf("has no name that ends with %s", cli.Name(suffix))
	}
	return opened, nil
}

// prepareOpen returns the job that opens, and what is left of the input, under the key file or the passphrase,
// whichever the input was sealed with.
func (j *sealing) prepareOpen(in io.Reader) (job, io.Reader, error) {
	rest := bufio.NewReader(in)
	magic, err := rest.Peek(len(passphraseMagic))
	switch {
	case err != nil && err != io.EOF:
		return nil, nil, err
	case string(magic) != passphraseMagic && !j.hasKey():
		return j.openWithout(rest)
	case string(magic) != passphraseMagic:
		key, err := j.fittingKey(rest)
		if err != nil {
			return nil, nil, err
		}
		work, err := j.openJob(in, 0, key, "key")
		return work, rest, err
	}
	header := make([]byte, passphraseHeaderSize)
	n, err := io.ReadFull(rest, header)
	if err != nil && err != io.ErrUnexpectedEOF {
		return nil, nil, err
	}
	h, err := parsePassphraseHeader(header[:n])
	if err != nil {
		return nil, nil, err
	}
	if j.hasKey() {
		return nil, nil, errors.New("sealed with a passphrase; give -p or -passphrase-file")
	}
	p, err := j.passphrase(false)
	if err != nil {
		return nil, nil, err
	}
	work, err := j.openJob(in, int64(passphraseHeaderSize), h.key(p, j.format), "passphrase")
	return work, rest, err
}

// fittingKey returns the first key that the stream opens with, or the last.
func (j *sealing) fittingKey(in *bufio.Reader) (key []byte, err error) {
	header, _ := in.Peek(64) // of the longest; what goes wrong does so again
	for i := range max(1, len(j.keyPaths)) {
		if key, err = j.key(i); err != nil {
			return nil, err
		}
		if _, err := j.options().NewReader(bytes.NewReader(header), key); !errors.Is(err, stream.ErrKey) {
			break
		}
	}
	return key, nil
}

func (j *sealing) parseRange(text string) error {
	offset, length, ok := strings.Cut(text, ":")
	at, err := strconv.ParseUint(offset, 10, 63)
	j.span, j.offset, j.length = true, int64(at), -1
	if err == nil && length != "" {
		at, err = strconv.ParseUint(length, 10, 63)
		j.length = int64(at)
	}
	if err != nil || !ok {
		return errors.New("want OFFSET:LENGTH, such as 1048576:4096, or OFFSET: for all from there")
	}
	return nil
}

// openWithout returns why a file without a passphrase's header does not open with
// a passphrase: it belongs to a key file, or seal did not make it.
func (j *sealing) openWithout(in io.Reader) (job, io.Reader, error) {
	_, err := j.options().NewReader(in, make([]byte, j.format.KeySize()))
	if err == nil || errors.Is(err, stream.ErrKey) {
		err = errors.New("sealed with a key file; name it with -k")
	}
	return nil, nil, diagnosis(err, "passphrase", 0)
}

// openJob returns the job that opens the stream which begins at an offset of the input, or
// the part of it that is asked for. What its key comes from is called secret.
func (j *sealing) openJob(in io.Reader, at int64, key []byte, secret string) (job, error) {
	o := j.options()
	if j.span {
		return j.rangeJob(in, at, key, secret)
	}
	return func(in io.Reader, out io.Writer) error {
		r, err := o.NewReader(in, key)
		if errors.Is(err, stream.ErrTruncated) {
			return fmt.Errorf("%w, or it is no sealed file", errNoEnd)
		}
		if err != nil {
			return j.headerError(err, secret)
		}
		n, err := r.WriteTo(out)
		return diagnosis(err, secret, n)
	}, nil
}

// headerError is the diagnosis of an error before any content.
func (j *sealing) headerError(err error, secret string) error {
	if errors.Is(err, stream.ErrKey) && j.format != stream.UnimacV2 { // these begin with no name
		return fmt.Errorf("wrong %s, or another -format, or the file is damaged at its beginning", secret)
	}
	return diagnosis(err, secret, 0)
}

func (j *sealing) rangeJob(in io.Reader, at int64, key []byte, secret string) (job, error) {
	f, _ := in.(*os.File)
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("a range needs the name of a file, not a pipe, a device or standard input")
	}
	size := max(0, info.Size()-at)
	return func(_ io.Reader, out io.Writer) error {
		r, err := j.options().NewReaderAt(io.NewSectionReader(f, at, size), size, key)
		if errors.Is(err, stream.ErrAuth) && !errors.Is(err, stream.ErrKey) {
			return fmt.Errorf("damaged: the %s is right, but the end was changed or cut off", secret)
		}
		if err != nil {
			return j.headerError(err, secret)
		}
		length := j.length
		if length < 0 {
			length = r.Size() - j.offset
		}
		if j.offset > r.Size() || length > r.Size()-j.offset {
			return fmt.Errorf("the range goes over the end: the content has %d bytes", r.Size())
		}
		part := r.NewReader()
		defer part.Close()
		if _, err := part.Seek(j.offset, io.SeekStart); err != nil {
			return err
		}
		n, err := io.CopyN(out, part, length)
		if errors.Is(err, stream.ErrAuth) {
			return fmt.Errorf("damaged: the %s is right, but what follows byte %d of the content was changed", secret, j.offset+n)
		}
		return diagnosis(err, secret, n)
	}, nil
}

var errNoEnd = errors.New("damaged: the end is missing")

// diagnosis says in a user's words what an error of package stream means, after
// opened bytes came out. If any did, the secret, a key or a passphrase, is right.
// Other errors stay.
func diagnosis(err error, secret string, opened int64) error {
	switch {
	case errors.Is(err, stream.ErrKey):
		return fmt.Errorf("wrong %s, or the file is damaged at its beginning", secret)
	case errors.Is(err, stream.ErrAuth) && opened == 0:
		return fmt.Errorf("damaged: the %s is right, but the content was changed or cut short at its beginning", secret)
	case errors.Is(err, stream.ErrAuth):
		return fmt.Errorf("damaged: the %s is right, but what follows the first %d bytes of content was changed or cut short", secret, opened)
	case errors.Is(err, stream.ErrTruncated):
		return errNoEnd
	case errors.Is(err, stream.ErrFormat) && opened > 0:
		return errors.New("damaged: something follows its end")
	case errors.Is(err, stream.ErrFormat):
		return errors.New("not in the format unimacv2, or damaged in its first bytes; -format opens others")
	}
	return err
}
