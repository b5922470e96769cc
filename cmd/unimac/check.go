// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bufio"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Args:  "-k KEYFILE [-a ALGORITHM] [-q] [-status] [LIST…]",
		Short: "verify the files that lines of sum name",
		Long: `Reads lines that "unimac sum" printed from each LIST, or from standard input
without LIST or where it is -, and verifies the file that each line names,
relative to the current directory. It prints "FILE: OK" or "FILE: FAILED" for
each. A line that names several files has one verdict, for all of them as listed.

The exit status is 0 if every line was right, and 1 if a tag was wrong, a file
or a list could not be read, a line was malformed, or a list had no line at all.
None of these keeps it from the rest of the lines.

What a right tag proves, and what it does not, is told by "unimac sum -h".`,
		New: newCheck,
	}
}

// A checker verifies lists and counts what is wrong.
type checker struct {
	*cli.Call
	master        *masterKey
	only          string // the one algorithm taken, or ""
	quiet, status bool
	in            *cli.Inputs

	wrong, unread, malformed, emptyLists int
}

func newCheck(c *cli.Call) func() int {
	k := &checker{Call: c, in: &cli.Inputs{Stdin: c.Stdin}}
	keyPath := keyFlag(c)
	c.Flags.StringVar(&k.only, "a", "", "take lines of this `algorithm` alone, for others are malformed")
	c.Flags.BoolVar(&k.quiet, "q", false, "print no OK")
	c.Flags.BoolVar(&k.quiet, "quiet", false, "the same as -q")
	c.Flags.BoolVar(&k.status, "status", false, "print nothing about tags and lines: the exit status tells")
	return func() int {
		if k.only != "" && findAlgorithm(k.only) == nil {
			return c.Usagef("no algorithm %q; there are %s", k.only, algorithmNames())
		}
		var status int
		if k.master, status = loadKey(c, *keyPath); k.master == nil {
			return status
		}
		lists := c.Args
		if len(lists) == 0 {
			lists = []string{"-"}
		}
		for _, list := range lists {
			k.checkList(list)
		}
		return k.conclude()
	}
}

// maxLine is the size in bytes of the longest line: paths, even escaped, are
// shorter on every system.
const maxLine = 1 << 18

func (k *checker) checkList(list string) {
	f, err := k.in.Open(list)
	if err != nil {
		k.unread++
		k.Errorf("%s: %s", cli.Escape(list), cli.Reason(err))
		return
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxLine)
	for number, good := 1, 0; ; number++ {
		text, err := readLine(r)
		switch {
		case err == io.EOF && good == 0:
			k.emptyLists++
			k.complain("%s: no line of unimac sum", cli.Escape(list))
			return
		case err == io.EOF:
			return
		case err != nil && err != errLongLine:
			k.unread++
			k.Errorf("%s: %s", cli.Escape(list), cli.Reason(err))
			return
		}
		var line *sumLine
		if err == nil {
			line, err = parseSumLine(text)
		}
		if err == nil && k.only != "" && line.algorithm.name != k.only {
			err = fmt.Errorf("algorithm is %s, want %s", line.algorithm.name, k.only)
		}
		if err != nil {
			k.malformed++
			k.complain("%s:%d: %v", cli.Escape(list), number, err)
			continue
		}
		good++
		k.checkLine(line)
	}
}

func (k *checker) checkLine(line *sumLine) {
	tag, err := sumFiles(k.in, line, k.master)
	verdict := "OK"
	switch {
	case err != nil:
		k.unread++
		k.Errorf("%v", err)
		return
	case subtle.ConstantTimeCompare(tag, line.tag) != 1:
		k.wrong++
		verdict = "FAILED"
	case k.quiet:
		return
	}
	if !k.status {
		fmt.Fprintf(k.Stdout, "%s: %s\n", line.names(), verdict)
	}
}

// complain prints an error unless the exit status is to tell.
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
	} {
		switch sum.n {
		case 0:
		case 1:
			k.complain("%s", sum.one)
		default:
			k.complain(sum.many, sum.n)
		}
	}
	if k.malformed+k.unread+k.wrong+k.emptyLists > 0 {
		return cli.ExitFailed
	}
	return cli.ExitOK
}

var errLongLine = errors.New("the line is too long")

// readLine returns the next line without its end, or io.EOF after the last. For
// a line that does not fit r's buffer it returns errLongLine; the next call
// goes on behind it.
func readLine(r *bufio.Reader) (string, error) {
	line, more, err := r.ReadLine()
	if err != nil {
		return "", err
	}
	if !more {
		return string(line), nil
	}
	for more && err == nil {
		_, more, err = r.ReadLine()
	}
	if err != nil && err != io.EOF {
		return "", err
	}
	return "", errLongLine
}
