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
		Long: `Decrypts FILE, which "unimac seal" made, and verifies that nothing in it was changed,
added, removed or moved. Without FILE, or if FILE is -, open reads standard input.

The result goes to OUTPUT, or to standard output without -o or if OUTPUT is -. OUTPUT
appears when all of it is verified and on the disk, readable by its owner only, and not at
all if open fails. An existing file is overwritten only with -f, and may then be FILE
itself. With -suffix, several FILE may be given, and the name of each result is that of its
FILE without SUFFIX. Devices and named pipes receive the content while it is verified. The key
file is never overwritten. If open is killed, it may leave a file next to OUTPUT whose name
begins with ".unimac-"; it contains a part of the content, so remove it.

open writes only authentic bytes, even to standard output. But if the exit status is not 0,
the bytes that it wrote to standard output are only the beginning of the content.

A file that was sealed with a passphrase opens with -p, which asks for it on the terminal,
or with -passphrase-file. The file states how much memory and time Argon2id takes. open
refuses more than 1 GiB of memory, 16 passes, 16 threads, or 2 GiB as memory times passes.

Several -k are tried in order. If a key file is under a passphrase, open asks for it, or
reads it with -passphrase-file. A file that was sealed with -context, -format or -raw-key
opens with the same flags. It may also come from another program that writes the format;
"unimac seal -h" names such programs.

With -range OFFSET:LENGTH, open writes only LENGTH bytes of the content from OFFSET on, or,
with "OFFSET:", everything from there on. It reads only the parts of FILE that it needs, so
FILE must be a regular file. A range beyond the end is an error. What open writes is
verified, and so is the end of the file; other parts may be damaged.

With -damaged, open writes everything that is authentic. It fills the missing ranges with
zeros, or with holes in OUTPUT, lists them on standard error, and exits with status 3. A
file that was cut off opens up to its last whole chunk. If the end is missing or damaged, or
if bytes follow it, the length of the content is unknown, and open says so. FILE must be a
regular file, and its header must be intact. If nothing is authentic, open fails as for a
wrong key. -damaged can be combined with -range and -suffix.

The exit status is 1 both for a wrong key and for a damaged file; the message says which it
is. If the header is damaged (64 bytes; with -format 56; with a passphrase 32 more), open
cannot tell this from a wrong key or from another format.`,
		Examples: []string{
			"unimac open -k key -o notes notes.sealed",
			"unimac open -p -suffix .sealed *.sealed",
			"unimac open -k key <folder.sealed | tar x",
			"unimac open -k key -k old.key -range 1048576:4096 disk.sealed",
			"unimac open -k key -damaged -o disk disk.sealed",
			"unimac open -raw-key shared.key -format cobblestone128 -o notes notes.sealed",
		},
		New: newOpen,
	}
}

func newOpen(c *cli.Call) func() int {
	j := newSealing(c)
	c.Flags.Func("range", "write only these bytes of the content, given as `OFFSET:LENGTH`", j.parseRange)
	c.Flags.BoolVar(&j.damaged, "damaged", false, "write what is authentic of a damaged file, and list what is missing")
	return func() int {
		if err := j.checkArguments(); err != nil {
			return c.Usagef("%v", err)
		}
		return j.runAll(withoutSuffix, j.prepareOpen)
	}
}

// withoutSuffix removes suffix from name and returns the resulting path.
func withoutSuffix(name, suffix string) (string, error) {
	opened, ok := strings.CutSuffix(name, suffix)
	if !ok || opened == "" || strings.HasSuffix(opened, "/") {
		return "", fmt.Errorf("the name does not end with %s", cli.Name(suffix))
	}
	return cli.FileNamed(opened), nil
}

// prepareOpen returns a filter for opening a sealed file, and the reader to pass to it.
// It reads the start of the file to find out whether a key file or a passphrase is
// needed.
func (j *sealing) prepareOpen(in io.Reader) (filter, io.Reader, error) {
	rest := bufio.NewReader(in)
	header, err := rest.Peek(passphraseHeaderSize)
	isHeader := bytes.HasPrefix(header, []byte(passphraseMagic))
	switch {
	case err != nil && err != io.EOF:
		return nil, nil, err
	case !isHeader && !j.hasKey():
		return j.requireKeyFile(rest)
	case !isHeader:
		key, err := j.matchingKey(rest)
		if err != nil {
			return nil, nil, err
		}
		work, err := j.openFilter(in, 0, key, "key")
		return work, rest, err
	}
	if j.hasKey() {
		return nil, nil, errors.New("sealed with a passphrase; give -p or -passphrase-file")
	}
	key, err := passphraseKey(header, func() ([]byte, error) { return j.passphrase(false) }, j.format)
	if err != nil {
		return nil, nil, err
	}
	rest.Discard(len(header))
	work, err := j.openFilter(in, int64(passphraseHeaderSize), key, "passphrase")
	return work, rest, err
}

// matchingKey returns the first key that opens the stream, or the last key if none does.
func (j *sealing) matchingKey(in *bufio.Reader) (key []byte, err error) {
	header, _ := in.Peek(64) // the longest header; the filter reports read errors
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
		return errors.New("want OFFSET:LENGTH, such as 1048576:4096, or OFFSET: for everything from there on")
	}
	return nil
}

// requireKeyFile returns an error for a file that was not sealed with a passphrase,
// although the user gave only a passphrase. If the file looks like a sealed stream, the
// error asks for the key file.
func (j *sealing) requireKeyFile(in io.Reader) (filter, io.Reader, error) {
	_, err := j.options().NewReader(in, make([]byte, j.format.KeySize()))
	if err == nil || errors.Is(err, stream.ErrKey) {
		err = errors.New("sealed with a key file; name it with -k")
	}
	return nil, nil, diagnosis(err, "passphrase", 0)
}

// openFilter returns a filter that opens a stream. With -range or -damaged, the filter
// may write only parts of the content. start is the stream's offset in the file. secret
// is what error messages call the key: "key" or "passphrase".
func (j *sealing) openFilter(in io.Reader, start int64, key []byte, secret string) (filter, error) {
	if j.span || j.damaged {
		return j.partFilter(in, start, key, secret)
	}
	return func(in io.Reader, out io.Writer) error {
		r, err := j.options().NewReader(in, key)
		if errors.Is(err, stream.ErrTruncated) {
			return fmt.Errorf("%w, or this is not a sealed file", errNoEnd)
		}
		if err != nil {
			return j.headerError(err, secret)
		}
		n, err := r.WriteTo(out)
		return diagnosis(err, secret, n)
	}, nil
}

// headerError is like diagnosis, but for errors before any content.
func (j *sealing) headerError(err error, secret string) error {
	switch {
	case !errors.Is(err, stream.ErrKey):
		return diagnosis(err, secret, 0)
	case j.format != stream.UnimacV2: // only UnimacV2 headers begin with a magic
		return fmt.Errorf("wrong %s, -context or -format, or the file is damaged at its beginning", secret)
	}
	return fmt.Errorf("wrong %s or -context, or the file is damaged at its beginning", secret)
}

// partFilter returns the filter for -range and -damaged.
func (j *sealing) partFilter(in io.Reader, start int64, key []byte, secret string) (filter, error) {
	f, _ := in.(*os.File)
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("-range and -damaged need the name of a regular file, not a pipe, a device or standard input")
	}
	size := max(0, info.Size()-start)
	return func(_ io.Reader, out io.Writer) error {
		r, err := j.options().NewReaderAt(io.NewSectionReader(f, start, size), size, key)
		if errors.Is(err, stream.ErrAuth) && !errors.Is(err, stream.ErrKey) {
			return fmt.Errorf("damaged: the %s is right, but the end was changed or cut off", secret)
		}
		if err != nil {
			return j.headerError(err, secret)
		}
		length := j.length
		if !j.span || length < 0 {
			length = r.Size() - j.offset
		}
		if j.offset > r.Size() || length > r.Size()-j.offset {
			return fmt.Errorf("the range exceeds the content, which has %d bytes", r.Size())
		}
		progress := j.Progress(length)
		defer progress.Clear()
		if j.damaged {
			return j.salvage(r, out.(*cli.Output), progress, length, secret)
		}
		part := r.NewReader()
		defer part.Close()
		if _, err := part.Seek(j.offset, io.SeekStart); err != nil {
			return err
		}
		n, err := io.CopyN(out, progress.Reader(part), length)
		if errors.Is(err, stream.ErrAuth) {
			return fmt.Errorf("damaged: the %s is right, but what follows byte %d of the content was changed", secret, j.offset+n)
		}
		return diagnosis(err, secret, n)
	}, nil
}

// errHoles means that a filter wrote only the authentic parts of a damaged file.
var errHoles = errors.New("parts are missing")

// salvage recovers length bytes of a damaged file's content, starting at j.offset. It
// writes the parts that are authentic and prints the ranges that are missing. If it
// finds no authentic part, and the end of the stream is not authentic either, the key
// is probably wrong. In this case, salvage writes nothing and returns the error for a
// wrong key.
func (j *sealing) salvage(r *stream.ReaderAt, out *cli.Output, progress *cli.Progress, length int64, secret string) error {
	var report []string
	written, end := j.offset, j.offset+length
	// skip leaves a hole in the output up to off and reports the missing bytes. Call it
	// only after some part of the stream has been authenticated. Before that, the
	// output must stay empty.
	skip := func(off int64) error {
		if off == written {
			return nil
		}
		report = append(report, fmt.Sprintf("bytes %d to %d of the content are missing", written, off-1))
		return out.Skip(off - written)
	}
	buf := make([]byte, 1<<20)
	for off := j.offset; off < end; {
		n, err := r.ReadAt(buf[:min(int64(len(buf)), end-off)], off)
		if n > 0 {
			if err := skip(off); err != nil {
				return err
			}
			if _, err := out.Write(buf[:n]); err != nil {
				return err
			}
			off += int64(n)
			written = off
		}
		if err != nil {
			next := min(nextChunk(r, off), end)
			progress.Add(next - off)
			off = next
		}
		progress.Add(int64(n))
	}
	_, endErr := r.ReadAt(buf[:1], r.Size())
	if endErr != io.EOF && written == j.offset && (length > 0 || r.Size() == 0) {
		return j.headerError(stream.ErrKey, secret)
	}
	if err := skip(end); err != nil {
		return err
	}
	if endErr != io.EOF {
		report = append(report, fmt.Sprintf("the end is missing or damaged, so the content may have had more or fewer than %d bytes", r.Size()))
	}
	progress.Clear()
	for _, line := range report {
		j.inputError(errors.New(line))
	}
	if len(report) > 0 {
		return errHoles
	}
	return nil
}

// nextChunk returns the offset of the chunk after the one containing off. It does not
// know the chunk size, so it tries multiples of [stream.MinChunkSize], which include
// all chunk boundaries.
func nextChunk(r *stream.ReaderAt, off int64) int64 {
	chunk, _ := r.SealedRange(off, 1)
	for {
		off += stream.MinChunkSize - off%stream.MinChunkSize
		if at, _ := r.SealedRange(off, 1); at != chunk {
			return off
		}
	}
}

var errNoEnd = errors.New("damaged: the end is missing")

// diagnosis turns an error from package stream into a message for the user. opened is
// the number of content bytes before the error, and secret is "key" or "passphrase".
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
		return errors.New("damaged: bytes follow its end")
	case errors.Is(err, stream.ErrFormat):
		return errors.New("not in the format unimacv2, or damaged in its first bytes; -format opens others")
	}
	return err
}
