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

// A sealing is one run of the seal or open command.
type sealing struct {
	*cli.Call
	inPath, outPath string
	force           bool

	formatName, context string
	format              stream.Format

	secrets
	rawKeyPath string // file with the stream key itself

	changed bool // seal: keep the output even if the file changes

	// open: the range of the content to write, if span is set.
	span           bool
	offset, length int64
	damaged        bool // open: write what is authentic

	suffix string // suffix of sealed files, or "" without -suffix
}

// newSealing defines the flags shared by seal and open.
func newSealing(c *cli.Call) *sealing {
	j := &sealing{Call: c, inPath: "-"}
	j.keyFlag(c)
	c.ProgressFlag()
	c.Flags.StringVar(&j.rawKeyPath, "raw-key", "", "a `file` that contains the key of the stream itself, as bytes")
	c.Flags.StringVar(&j.formatName, "format", formatName(stream.UnimacV2), "the `name` of the format: unimacv2, cobblestone128, cobblestone256, chunkedchacha20poly1305 or chunkedaegis256x2")
	c.Flags.StringVar(&j.context, "context", "", "additional data to authenticate: a `text` that is not stored")
	c.Flags.BoolVar(&j.ask, "p", false, "ask for a passphrase on the terminal, instead of a key")
	c.Flags.StringVar(&j.passphrasePath, "passphrase-file", "", "a `file` with a passphrase on its only line; with -k, the passphrase of the key file")
	c.Flags.StringVar(&j.outPath, "o", "-", "the `file` to write")
	c.Flags.Func("suffix", "instead of -o: sealed files are named like the original, followed by this `suffix`", func(s string) error {
		if j.suffix = s; s == "" {
			return errors.New("want at least one character")
		}
		return nil
	})
	c.Flags.BoolVar(&j.force, "f", false, "overwrite the file to write if it exists")
	return j
}

func (j *sealing) checkArguments() error {
	switch {
	case j.suffix != "" && j.outPath != "-":
		return errors.New("want only one of -o and -suffix")
	case j.suffix != "" && len(j.Args) == 0:
		return errors.New("-suffix needs a file")
	case j.suffix == "" && len(j.Args) > 1:
		return fmt.Errorf("%d files need -suffix, such as -suffix .sealed, to name the results", len(j.Args))
	case j.outPath == "":
		return errors.New("the name of the file to write is empty")
	case len(j.Args) == 1:
		j.inPath = j.Args[0]
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

// hasKey reports whether the key comes from a file rather than from a passphrase.
func (j *sealing) hasKey() bool { return j.hasKeyFile() || j.rawKeyPath != "" }

func (j *sealing) hasKeyFile() bool { return len(j.keyPaths) > 0 && j.keyPaths[0] != "" }

// key reads the stream key from the -raw-key file, or derives it from the key file at
// j.keyPaths[index].
func (j *sealing) key(index int) ([]byte, error) {
	if j.rawKeyPath != "" {
		key, err := cli.ReadSecret(j.rawKeyPath, int64(j.format.KeySize())+1)
		if err == nil && len(key) != j.format.KeySize() {
			err = fmt.Errorf("not a raw key for %s: want exactly %d bytes", formatName(j.format), j.format.KeySize())
		}
		if err != nil {
			return nil, explain(j.rawKeyPath, err)
		}
		return key, nil
	}
	master, err := j.master(j.keyPaths[index])
	if err != nil {
		return nil, err
	}
	return formatKey(master[:], j.format), nil
}

func (j *sealing) options() stream.Options {
	return stream.Options{Format: j.format, AdditionalData: []byte(j.context), Damaged: j.damaged}
}

// A filter seals or opens its input with a predetermined key.
type filter func(in io.Reader, out io.Writer) error

// runAll runs one filter per input file and returns the exit status of the most serious
// error. Without -suffix, there is only one input file. With -suffix, runAll calls name
// to get each output file's name.
func (j *sealing) runAll(name func(file, suffix string) (string, error), prepare func(in io.Reader) (filter, io.Reader, error)) int {
	if j.suffix == "" {
		return j.run(prepare)
	}
	status := cli.ExitOK
	for _, file := range j.Args {
		result, err := name(file, j.suffix)
		if err == nil && file == "-" {
			err = errors.New("standard input has no name")
		}
		if err != nil {
			status = j.Errorf("%s: %s", cli.Name(file), err)
			continue
		}
		j.inPath, j.outPath = file, result
		if s := j.run(prepare); status != cli.ExitFailed && s != cli.ExitOK {
			status = s
		}
	}
	return status
}

// run opens the files, runs the filter returned by prepare, and returns the exit status.
func (j *sealing) run(prepare func(in io.Reader) (filter, io.Reader, error)) int {
	f, err := j.Open(j.inPath)
	if err != nil {
		return j.Errorf("%s: %s", cli.Name(j.inPath), cli.Reason(err))
	}
	defer f.Close()
	// Check the output before asking for a passphrase.
	target, err := cli.CheckOutput(j.outPath, j.force)
	if err == nil {
		err = j.protectSecret(target)
	}
	if err != nil {
		return j.Errorf("%s: %s", cli.Name(j.outPath), cli.Reason(err))
	}
	work, in, err := prepare(f)
	if err != nil {
		return j.inputError(err)
	}
	out, err := j.CreateOutput(target, j.force)
	if err != nil {
		return j.Errorf("%s: %s", cli.Name(j.outPath), cli.Reason(err))
	}
	defer out.Discard()

	progress := j.ProgressOf(j.inPath)
	err = work(progress.Reader(in), out)
	progress.Clear()
	switch {
	case out.Err != nil && out.Path == "-":
		return cli.ExitFailed // cli.Run reports the error
	case err != nil && err != errHoles && out.Err == nil:
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
	f.Close() // Windows cannot replace an open file, and the output may replace the input
	if err := out.Commit(); err != nil {
		return j.Errorf("%s: %s", cli.Name(j.outPath), cli.Reason(err))
	}
	if err == errHoles {
		return cli.ExitDamaged
	}
	return cli.ExitOK
}

// protectSecret returns an error if writing target would overwrite a key or passphrase.
func (j *sealing) protectSecret(target string) error {
	out, err := os.Stat(target)
	if target == "-" || err != nil {
		return nil // no file would be overwritten
	}
	for _, path := range append([]string{j.rawKeyPath, j.passphrasePath}, j.keyPaths...) {
		if secret, err := os.Stat(path); err == nil && os.SameFile(secret, out) {
			return errors.New("contains the key or its passphrase, so it is not overwritten")
		}
	}
	return nil
}

func (j *sealing) inputError(err error) int {
	if _, ok := errors.AsType[explained](err); ok {
		return j.Errorf("%v", err)
	}
	return j.Errorf("%s: %s", cli.Name(j.inPath), cli.Reason(err))
}
