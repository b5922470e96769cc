// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func sumCommand() *cli.Command {
	return &cli.Command{
		Name:   "sum",
		Also:   []string{"mac", "hash", "sign", "tag"},
		Values: map[string][]string{"a": algorithmNames()},
		Args:   "-k KEYFILE [-passphrase-file FILE] [-a ALGORITHM] [-r] [-0] [FILE…]",
		Short:  "print the tags of files, for check to verify",
		Long:   sumLong,
		Examples: []string{
			"unimac sum -k key *.iso >SUMS",
			"unimac sum -k key -r -a multimixer-128 folder >SUMS",
		},
		New: newSum,
	}
}

const sumLong = `Prints a line for each FILE, with which "unimac check" and the same key detect any change of
its content. Without FILE, or if FILE is -, sum reads standard input. If a file cannot be
read, sum reports it and continues with the others.

A line contains the algorithm, the file, the nonce if the algorithm takes one, the tag, and
an identifier of the key, which reveals nothing about it:

	umac-128 (FILE) nonce=HEX named-tag=HEX key=HEX
	multimixer-128 (FILE) named-tag=HEX key=HEX
	multimac-256 (FILE FILE…) named-tag=HEX key=HEX

In FILE, a backslash is written \\, a newline \n, a carriage return \r, and any other control
character \x and two digits. If a line may contain several files, a space in FILE is written
\x20. On Windows, lists separate folders by /, so that other systems find the files. Each
line has a nonce of 16 new random bytes, so each run prints different tags. To print the same
line in each run, use "-a multimixer-128" or another algorithm without a nonce.

A tag shows that someone with the key saw this content under this name. It is computed from
the length of the name in 8 bytes, big-endian, the name without escapes, and the content. A
file that was moved or renamed needs a new line.

A tag does not show the age of the file, or whether lines are missing. Anyone who can change
the list can restore an old line together with the old file, or remove a line. Restrict who
can write to the list, or apply "unimac sum" to it, too.

In the names of the algorithms, the number after the hyphen is the length of the tag in bits:

	umac-128, umac-96, umac-64, umac-32
	    UMAC (RFC 4418) under the nonce.
	poly1305
	    Poly1305 (RFC 8439) with a tag of 128 bits, under a one-time key: the BLAKE2b
	    digest of the nonce, of 32 bytes and keyed with the algorithm's key.
	multimixer-512, multimixer-256, multimixer-128
	    This project's own construction from Multimixer-128 (IACR ePrint 2023/1357),
	    ChaCha20 and BLAKE2b. It takes no nonce: equal files have equal tags, so the
	    list shows which files are equal.
	aegismac256x2-256, aegismac256x2-128
	    AEGISMAC-256X2 (RFC 10032) under a nonce of zeros. It takes no other: equal
	    files have equal tags. It is fast on processors with AES instructions, and slow
	    on others.
	multimac-256
	    MultiMAC with BLAKE2b, whose two keys are the halves of the algorithm's key. It
	    prints one line with one tag for all files, which also authenticates their
	    order, number and boundaries. Each name with its length, and each content, is
	    a separate input. It takes no nonce.

"unimac keygen -h" explains how the keys are derived from KEYFILE.`

func newSum(c *cli.Call) func() int {
	keys := keyFlags(c)
	name := c.Flags.String("a", defaultAlgorithm, "the `algorithm`; multimixer, aegismac and multimac print the same line in each run")
	folders := c.Flags.Bool("r", false, "for a folder, print lines for all regular files in and below it")
	zero := zeroFlag(c)
	c.ProgressFlag()
	return func() int {
		a, err := findAlgorithm(*name)
		if err != nil {
			return c.Usagef("%v", err)
		}
		masters, status := keys.loadKeys(c, 1)
		if masters == nil {
			return status
		}
		master := masters[0]
		files := c.Args
		if len(files) == 0 {
			files = []string{"-"}
		}
		if *folders {
			files, status = filesIn(c, files)
			switch {
			case status != cli.ExitOK && a.list:
				return status // a line without the missing files would look complete
			case status == cli.ExitOK && len(files) == 0:
				return c.Errorf("no file in %s", cli.Name(strings.Join(c.Args, ", ")))
			}
		}
		for i, file := range files {
			files[i] = filepath.ToSlash(file) // forward slashes work on every system
		}
		progress := c.ProgressOf(files...)
		groups := slices.Collect(slices.Chunk(files, 1))
		if a.list {
			groups = [][]string{files}
		}
		for _, group := range groups {
			line := &sumLine{algorithm: a, files: group, nonce: a.newNonce(), key: master.id()}
			if line.tag, err = sumFiles(c, progress, line, master); err != nil {
				status = c.Errorf("%v", err)
				continue
			}
			if _, err := fmt.Fprintf(c.Stdout, "%s%c", line, lineEnd[*zero]); err != nil {
				return cli.ExitFailed // cli.Run reports the error
			}
		}
		return status
	}
}

func zeroFlag(c *cli.Call) *bool {
	return c.Flags.Bool("0", false, "end lines with a zero byte instead of a newline")
}

var lineEnd = map[bool]byte{false: '\n', true: 0} // true with -0

// filesIn replaces each directory in names with the regular files below it, in lexical
// order. It follows symbolic links in names, but skips links inside directories,
// because they may point elsewhere.
func filesIn(c *cli.Call, names []string) (files []string, status int) {
	for _, name := range names {
		if info, err := os.Stat(name); name == "-" || err != nil || !info.IsDir() {
			files = append(files, name) // opening it reports the error
			continue
		}
		if !os.IsPathSeparator(name[len(name)-1]) {
			name += string(filepath.Separator) // makes WalkDir follow a link
		}
		filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				status = c.Errorf("%s: %s", cli.Name(path), cli.Reason(err))
			case entry.Type().IsRegular():
				files = append(files, cli.FileNamed(path))
			}
			return nil
		})
	}
	return files, status
}

// sumFiles computes the tag of line.files under line.nonce.
func sumFiles(c *cli.Call, progress *cli.Progress, line *sumLine, master *masterKey) ([]byte, error) {
	defer progress.Clear()
	key := master.derive(line.keyName(), line.algorithm.keySize)
	h, err := line.algorithm.new(key, line.nonce)
	if err != nil {
		return nil, err
	}
	for _, file := range line.files {
		// The length separates the name from the content.
		name := append(binary.BigEndian.AppendUint64(nil, uint64(len(file))), file...)
		if err := addInput(h, bytes.NewReader(name)); err != nil {
			return nil, err
		}
		f, err := c.Open(file)
		if err == nil {
			err = addInput(h, progress.Reader(f))
			f.Close()
		}
		if err != nil {
			return nil, explain(file, err)
		}
	}
	return h.Sum(nil), nil
}
