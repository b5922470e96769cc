// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A sealing is one run of seal or open.
type sealing struct {
	*cli.Call
	inPath, outPath string
	force           bool

	formatName string
	format     stream.Format

	// Where the key comes from: a key file, a file with the stream's own key, or a
	// passphrase in a file or asked for.
	secrets
	rawKeyPath string

	span           bool // open gives a part alone, from offset on
	offset, length int64

	suffix string // of the sealed files, where each result has a name of its own
}

// newSealing defines the flags that seal and open share.
func newSealing(c *cli.Call) *sealing {
	j := &sealing{Call: c, inPath: "-"}
	j.keyFlag(c)
	c.Flags.StringVar(&j.rawKeyPath, "raw-key", "", "a `file` that holds the key of the stream itself, as bytes")
	c.Flags.StringVar(&j.formatName, "format", formatName(stream.UnimacV2), "the `name` of the format: unimacv2, cobblestone128, cobblestone256, chunkedchacha20poly1305 or chunkedaegis256x2")
	c.Flags.BoolVar(&j.ask, "p", false, "ask for a passphrase on the terminal, in place of a key")
	c.Flags.StringVar(&j.passphrasePath, "passphrase-file", "", "a `file` with a passphrase on its one line; with -k it is that of the key file")
	c.Flags.StringVar(&j.outPath, "o", "-", "the `file` to write")
	c.Flags.Func("suffix", "in place of -o: a sealed file has the name of what was sealed, and this `suffix`", func(s string) error {
		if j.suffix = s; s == "" {
			return errors.New("want at least one character")
		}
		return nil
	})
	c.Flags.BoolVar(&j.force, "f", false, "overwrite the file to write if it exists")
	return j
}

// checkArguments returns what is wrong with the arguments, after they were parsed.
func (j *sealing) checkArguments() error {
	switch {
	case j.suffix != "" && j.outPath != "-":
		return errors.New("want one of -o and -suffix alone")
	case j.suffix != "" && len(j.Args) == 0:
		return errors.New("no file to name the result after")
	case j.suffix == "" && len(j.Args) > 1:
		return fmt.Errorf("%d files need -suffix, such as -suffix .sealed, to name the results", len(j.Args))
	case len(j.Args) == 1:
		j.inPath = j.Args[0]
	}
	if j.outPath == "" {
		return errors.New("the file to write has no name")
	}
	sources := 0
	for _, given := range []bool{j.hasKeyFile(), j.rawKeyPath != "", j.passphrasePath != "" && !j.hasKeyFile(), j.ask} {
		if given {
			sources++
		}
	}
	switch {
	case sources == 0:
		return errors.New("no key file: name one with -k, or give -p for a passphrase")
	case sources > 1:
		return errors.New("want one of -k, -raw-key, -p and -passphrase-file; only -passphrase-file goes with -k, for a key file under a passphrase")
	}
	var err error
	j.format, err = parseFormat(j.formatName)
	return err
}

// hasKey reports whether the key comes from a file, and not from a passphrase.
func (j *sealing) hasKey() bool { return j.hasKeyFile() || j.rawKeyPath != "" }

func (j *sealing) hasKeyFile() bool { return len(j.keyPaths) > 0 && j.keyPaths[0] != "" }

// key returns the key of the stream, from the key file of that number or as it is in a file.
func (j *sealing) key(number int) ([]byte, error) {
	if j.rawKeyPath != "" {
		key, err := cli.ReadSecret(j.rawKeyPath, int64(j.format.KeySize())+1)
		if err == nil && len(key) != j.format.KeySize() {
			err = fmt.Errorf("not a raw key for %s: want %d bytes and no more", formatName(j.format), j.format.KeySize())
		}
		if err != nil {
			return nil, explain(j.rawKeyPath, err)
		}
		return key, nil
	}
	master, err := j.master(j.keyPaths[number])
	if err != nil {
		return nil, err
	}
	return formatKey(master[:], j.format), nil
}

// options are those of the stream.
func (j *sealing) options() stream.Options { return stream.Options{Format: j.format} }

// A job is what seal or open does with an input, once it has its key.
type job func(in io.Reader, out io.Writer) error

// runAll runs the job for one file, or with -suffix for each, whose result name
// returns. It returns the exit status.
func (j *sealing) runAll(name func(file, suffix string) (string, error), prepare func(in io.Reader) (job, io.Reader, error)) int {
	if j.suffix == "" {
		return j.run(prepare)
	}
	status := cli.ExitOK
	for _, file := range j.Args {
		result, err := name(file, j.suffix)
		if err == nil && file == "-" {
			err = errors.New("is standard input, which has no name")
		}
		if err != nil {
			status = j.Errorf("%s: %s", cli.Name(file), err)
			continue
		}
		j.inPath, j.outPath = file, result
		if s := j.run(prepare); s != cli.ExitOK {
			status = s
		}
	}
	return status
}

// run opens the files for a job, which prepare returns with what is left of the
// input. It returns the exit status.
func (j *sealing) run(prepare func(in io.Reader) (job, io.Reader, error)) int {
	f, err := (&cli.Inputs{Stdin: j.Stdin}).Open(j.inPath)
	if err != nil {
		return j.Errorf("%s: %s", cli.Name(j.inPath), cli.Reason(err))
	}
	defer f.Close()
	// Nobody should type a passphrase in vain.
	target, err := cli.CheckOutput(j.outPath, j.force)
	if err == nil {
		err = j.spareSecret(target)
	}
	if err != nil {
		return j.Errorf("%s: %s", cli.Name(j.outPath), cli.Reason(err))
	}
	work, rest, err := prepare(f)
	if err != nil {
		return j.inputError(err)
	}
	out, err := j.CreateOutput(target, j.force)
	if err != nil {
		return j.Errorf("%s: %s", cli.Name(j.outPath), cli.Reason(err))
	}
	defer out.Discard()

	err = work(rest, out)
	switch {
	case out.Err != nil && out.Path == "-":
		return cli.ExitFailed // run, which calls all commands, tells why
	case err != nil && out.Err == nil:
		out.Discard()
		status := j.inputError(err)
		if out.Direct() && out.Written > 0 {
			name := "standard output"
			if out.Path != "-" {
				name = cli.Name(out.Path)
			}
			j.Errorf("%s: incomplete, do not use it", name)
		}
		return status
	}
	f.Close() // Windows replaces no file that is open, and OUTPUT may be FILE
	if err := out.Commit(); err != nil {
		return j.Errorf("%s: %s", cli.Name(j.outPath), cli.Reason(err))
	}
	return cli.ExitOK
}

// spareSecret refuses to replace the file that the key comes from.
func (j *sealing) spareSecret(target string) error {
	out, err := os.Stat(target)
	if target == "-" || err != nil {
		return nil // there is nothing to replace
	}
	for _, path := range append([]string{j.rawKeyPath, j.passphrasePath}, j.keyPaths...) {
		if secret, err := os.Stat(path); err == nil && os.SameFile(secret, out) {
			return errors.New("is what the key comes from, without which nothing would open")
		}
	}
	return nil
}

// inputError prints an error that the input has, unless it is explained.
func (j *sealing) inputError(err error) int {
	if _, ok := errors.AsType[explained](err); ok {
		return j.Errorf("%v", err)
	}
	return j.Errorf("%s: %s", cli.Name(j.inPath), cli.Reason(err))
}
