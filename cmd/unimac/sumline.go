// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A sumLine is a line that sum prints and check reads:
//
//	umac-128 (FILE) nonce=HEX named-tag=HEX key=HEX
//	multimixer-128 (FILE) named-tag=HEX key=HEX
//	multimac-256 (FILE FILE…) named-tag=HEX key=HEX
//
// FILE is escaped; where there may be several, spaces in it are, too. Lines of an
// algorithm with a nonce have nonce=, those of one without have not; neither kind is
// taken for the other. Older lines have tag= in place of named-tag=, for the contents
// alone. The oldest have no key= either.
type sumLine struct {
	algorithm  *algorithm
	files      []string // one, unless the algorithm takes a list
	named      bool     // the tag covers the names, too
	nonce, tag []byte
	key        []byte // identifies the key; nil where the line does not
}

// keyName is the name of the key that the tag is made with. Tags of the two kinds have
// different keys, so that none passes for one of the other kind.
func (l *sumLine) keyName() string {
	if l.named {
		return l.algorithm.name + " with names"
	}
	return l.algorithm.name
}

// label is what the line has before the tag.
func (l *sumLine) label() string {
	if l.named {
		return "named-tag="
	}
	return "tag="
}

func (l *sumLine) String() string {
	nonce := ""
	if l.algorithm.nonceSize > 0 {
		nonce = fmt.Sprintf(" nonce=%x", l.nonce)
	}
	key := ""
	if l.key != nil {
		key = fmt.Sprintf(" key=%x", l.key)
	}
	return fmt.Sprintf("%s (%s)%s %s%x%s", l.algorithm.name, l.names(), nonce, l.label(), l.tag, key)
}

// names returns the escaped names of the files, as the line has them.
func (l *sumLine) names() string {
	if !l.algorithm.list {
		return cli.Escape(l.files[0])
	}
	names := make([]string, len(l.files))
	for i, file := range l.files {
		names[i] = strings.ReplaceAll(cli.Escape(file), " ", escapedSpace)
	}
	return strings.Join(names, " ")
}

// escapedSpace is a space in a name, where names are separated by spaces.
const escapedSpace = `\x20`

// parseNames is the inverse of names. It reports false for what names does not
// return.
func (l *sumLine) parseNames(text string) bool {
	names := []string{text}
	if l.algorithm.list {
		names = strings.Split(text, " ")
	}
	for _, name := range names {
		if l.algorithm.list {
			name = unescapeSpaces(name)
		}
		file, ok := cli.Unescape(name)
		if !ok || file == "" || strings.Contains(file, "\x00") {
			return false
		}
		l.files = append(l.files, file)
	}
	return l.names() == text
}

// unescapeSpaces leaves the other escapes: of two backslashes, the second begins
// none.
func unescapeSpaces(name string) string {
	return strings.NewReplacer(`\\`, `\\`, escapedSpace, " ").Replace(name)
}

var errNotSumLine = errors.New("not a line of unimac sum")

// parseSumLine reads a line, without the newline. It takes nothing but what
// String writes, to the byte.
func parseSumLine(line string) (*sumLine, error) {
	name, rest, ok := strings.Cut(line, " (")
	if !ok {
		return nil, errNotSumLine
	}
	a := findAlgorithm(name)
	if a == nil {
		return nil, fmt.Errorf("algorithm %q is unknown", name)
	}
	// What follows the name of the file has no parenthesis.
	end := strings.LastIndex(rest, ") ")
	if end < 0 {
		return nil, errNotSumLine
	}
	l := &sumLine{algorithm: a}
	if !l.parseNames(rest[:end]) {
		return nil, errNotSumLine
	}
	fields := strings.Split(rest[end+len(") "):], " ")
	if a.nonceSize > 0 {
		if l.nonce = hexField(fields[0], "nonce=", a.nonceSize); l.nonce == nil {
			return nil, errNotSumLine
		}
		fields = fields[1:]
	}
	if len(fields) == 0 || len(fields) > 2 {
		return nil, errNotSumLine
	}
	l.named = strings.HasPrefix(fields[0], "named-")
	if l.tag = hexField(fields[0], l.label(), a.tagSize); l.tag == nil {
		return nil, errNotSumLine
	}
	if len(fields) == 2 {
		if l.key = hexField(fields[1], "key=", keyIDSize); l.key == nil {
			return nil, errNotSumLine
		}
	}
	return l, nil
}

// hexField returns the bytes of a field that begins with label, or nil if they
// are not size bytes in lower-case hexadecimal digits.
func hexField(field, label string, size int) []byte {
	digits, ok := strings.CutPrefix(field, label)
	if !ok || len(digits) != 2*size || strings.ToLower(digits) != digits {
		return nil
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil
	}
	return b
}
