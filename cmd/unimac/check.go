// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bufio"
	"bytes"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:   "check",
		Also:   []string{"verify"},
		Values: map[string][]string{"a": algorithmNames()},
		Args:   "-k KEYFILE [-passphrase-file FILE] [-a ALGORITHM] [FLAGS] [LIST…]",
		Short:  "verify the files listed by sum",
		Long: `Reads lines that "unimac sum" printed from each LIST, or from standard input without LIST or
if LIST is -, and verifies the file in each line, relative to the current directory. For each
line, check prints "FILE: OK" or "FILE: FAILED". A line with several files has one result for
all of them, in the order listed.

The exit status is 0 if every line is correct, and 1 if a tag is wrong, a file or a list cannot
be read, a line is malformed or was made with another key, or a list has no line. After each
error, check continues with the next line, but it leaves a file whose first 10 lines are
malformed, and stops after 1000 wrong tags, because such a list was made to guess tags. With
several -k, check uses for each line the key that it was made with.

A tag also authenticates the name of its file: it is wrong if the name in the list was changed.

Whoever writes the list chooses the algorithm. Tags of fewer than 128 bits, which are easier to
guess, are accepted only if -a names their algorithm.

"unimac sum -h" explains what a correct tag proves, and what it does not prove.`,
		Examples: []string{
			"unimac check -k key SUMS",
			"unimac sum -k key file | ssh host unimac check -k key",
		},
		New: newCheck,
	}
}

// A checker verifies lists of tags and counts the errors.
type checker struct {
	*cli.Call
	masters       []*masterKey
	only          string // the only accepted algorithm, or ""
	quiet, status bool
	ignoreMissing bool
	end           byte // last byte of each line

	right, wrong, otherKey, unread, malformed, emptyLists int
}

const (
	maxWrong   = 1000 // check stops after this many wrong tags
	minTagSize = 16   // minimum tag size in bytes without -a
)

func newCheck(c *cli.Call) func() int {
	k := &checker{Call: c}
	keys := keyFlags(c)
	c.Flags.StringVar(&k.only, "a", "", "accept only lines of this `algorithm`; others are malformed")
	c.Flags.BoolVar(&k.quiet, "q", false, "do not print OK lines")
	c.Flags.BoolVar(&k.quiet, "quiet", false, "the same as -q")
	c.Flags.BoolVar(&k.status, "status", false, "print nothing about tags and lines; only set the exit status")
	c.Flags.BoolVar(&k.ignoreMissing, "ignore-missing", false, "ignore files that do not exist, unless no file exists")
	zero := zeroFlag(c)
	c.ProgressFlag()
	return func() int {
		k.end = lineEnd[*zero]
		if _, err := findAlgorithm(k.only); k.only != "" && err != nil {
			return c.Usagef("%v", err)
		}
		var status int
		if k.masters, status = keys.loadKeys(c, math.MaxInt); k.masters == nil {
			return status
		}
		lists := c.Args
		if len(lists) == 0 {
			lists = []string{"-"}
		}
		for _, list := range lists {
			if err := k.checkList(list); err != nil {
				k.unread++
				k.Errorf("%s: %s", cli.Name(list), cli.Reason(err))
			}
			if k.wrong >= maxWrong {
				break
			}
		}
		return k.conclude()
	}
}

const (
	// check stops reading a file if its first maxGarbage lines are all malformed,
	// because it is probably a file to verify rather than a list.
	maxGarbage = 10
	// maxLine is the maximum line length in bytes, longer than any escaped path.
	maxLine = 1 << 18
)

// checkList verifies the lines of a list and prints errors. It returns an error only if
// it cannot read the list.
func (k *checker) checkList(list string) error {
	f, err := k.Open(list)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxLine)
	start, _ := r.Peek(3)
	if err := foreignEncoding(start); err != nil {
		return err
	}
	for number, good := 1, 0; ; number++ {
		if k.wrong >= maxWrong {
			k.complain("stopped after %d wrong tags", k.wrong)
			return nil
		}
		text, err := readLine(r, k.end)
		switch {
		case err == io.EOF && good == 0:
			k.emptyLists++
			k.complain("%s: no valid line of unimac sum", cli.Name(list))
			return nil
		case err == io.EOF:
			return nil
		case err != nil && err != errLongLine:
			return err
		}
		var line *sumLine
		if err == nil {
			line, err = k.parse(text)
		}
		if err != nil {
			k.malformed++
			k.complain("%s:%d: %v", cli.Name(list), number, err)
			if good == 0 && number == maxGarbage {
				k.emptyLists++
				k.complain("%s: no line of unimac sum among the first %d lines", cli.Name(list), number)
				return nil
			}
			continue
		}
		good++
		k.checkLine(line)
	}
}

var (
	errUTF16 = errors.New(`is in UTF-16, which PowerShell's > writes before version 7.4; use a newer version or "cmd /c"`)
	errBOM   = errors.New("begins with a byte order mark; save it as UTF-8 without one")
)

// foreignEncoding returns an error if start begins with a byte order mark.
func foreignEncoding(start []byte) error {
	for mark, err := range map[string]error{"\xff\xfe": errUTF16, "\xfe\xff": errUTF16, "\xef\xbb\xbf": errBOM} {
		if bytes.HasPrefix(start, []byte(mark)) {
			return err
		}
	}
	return nil
}

// parse parses a line and checks whether the flags allow its algorithm.
func (k *checker) parse(text string) (*sumLine, error) {
	line, err := parseSumLine(text)
	switch {
	case err != nil && strings.ContainsAny(text, "\x00\n"): // probably, only one of sum and check was given -0
		return nil, fmt.Errorf("%w; check needs -0 for lists of sum -0 only", err)
	case err != nil:
		return nil, err
	case k.only != "" && line.algorithm.name != k.only:
		return nil, fmt.Errorf("algorithm is %s, want %s", line.algorithm.name, k.only)
	case k.only == "" && line.algorithm.tagSize < minTagSize:
		return nil, fmt.Errorf("algorithm %s has tags of fewer than %d bits, which are accepted only with -a %[1]s", line.algorithm.name, 8*minTagSize)
	}
	return line, nil
}

func (k *checker) checkLine(line *sumLine) {
	var ids []string
	for _, master := range k.masters {
		ids = append(ids, hex.EncodeToString(master.id()))
	}
	at := slices.Index(ids, hex.EncodeToString(line.key))
	if at < 0 {
		k.otherKey++
		if !k.status {
			fmt.Fprintf(k.Stdout, "%s: FAILED, made with another key: %x, and yours is %s\n", cli.Visible(line.names()), line.key, strings.Join(ids, ", "))
		}
		return
	}
	tag, err := sumFiles(k.Call, k.ProgressOf(line.files...), line, k.masters[at])
	verdict := "OK"
	switch {
	case k.ignoreMissing && errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		k.unread++
		k.Errorf("%v", err)
		return
	case subtle.ConstantTimeCompare(tag, line.tag) != 1:
		k.wrong++
		verdict = "FAILED"
	default:
		k.right++
		if k.quiet {
			return
		}
	}
	if !k.status {
		fmt.Fprintf(k.Stdout, "%s: %s\n", cli.Visible(line.names()), verdict)
	}
}

// complain prints an error, unless -status was given.
func (k *checker) complain(format string, args ...any) {
	if !k.status {
		k.Errorf(format, args...)
	}
}

func (k *checker) conclude() int {
	for _, sum := range []struct {
		n         int
		one, many string
	}{
		{k.malformed, "1 line is malformed", "%d lines are malformed"},
		{k.unread, "1 file could not be read", "%d files could not be read"},
		{k.wrong, "1 tag is WRONG", "%d tags are WRONG"},
		{k.otherKey, "1 line was made with another key", "%d lines were made with another key"},
	} {
		switch sum.n {
		case 0:
		case 1:
			k.complain("%s", sum.one)
		default:
			k.complain(sum.many, sum.n)
		}
	}
	failed := k.malformed+k.unread+k.wrong+k.otherKey+k.emptyLists > 0
	if !failed && k.right == 0 { // -ignore-missing skipped every line
		k.complain("no file was verified")
		failed = true
	}
	if failed {
		return cli.ExitFailed
	}
	return cli.ExitOK
}

var errLongLine = errors.New("line too long")

// readLine returns the next line without its terminating byte, end. If end is a
// newline, readLine also removes a preceding carriage return. It returns io.EOF after
// the last line. If a line does not fit in r's buffer, it skips the line and returns
// errLongLine.
func readLine(r *bufio.Reader, end byte) (string, error) {
	line, err := r.ReadSlice(end)
	long := err == bufio.ErrBufferFull
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice(end)
	}
	switch {
	case err != nil && err != io.EOF:
		return "", err
	case long:
		return "", errLongLine
	case err == io.EOF && len(line) == 0:
		return "", io.EOF
	case err == nil:
		line = line[:len(line)-1]
		if end == '\n' {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
	}
	return string(line), nil
}
