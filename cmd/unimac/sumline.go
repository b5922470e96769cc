// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A sumLine is a line printed by "unimac sum" and read by "unimac check":
//
//	umac-128 (FILE) nonce=HEX named-tag=HEX key=HEX
//	multimixer-128 (FILE) named-tag=HEX key=HEX
//	multimac-256 (FILE FILE…) named-tag=HEX key=HEX
//
// FILE is an escaped file name. In a list of files, spaces in names are escaped, too.
// The nonce is omitted if the algorithm takes none.
type sumLine struct {
	algorithm  *algorithm
	files      []string // a single file, unless the algorithm takes a list
	nonce, tag []byte
	key        []byte // identifier of the key
}

// keyName returns the name used to derive the tag's key.
func (l *sumLine) keyName() string { return l.algorithm.name + " with names" }

func (l *sumLine) String() string {
	nonce := ""
	if l.algorithm.nonceSize > 0 {
		nonce = fmt.Sprintf(" nonce=%x", l.nonce)
	}
	return fmt.Sprintf("%s (%s)%s named-tag=%x key=%x", l.algorithm.name, l.names(), nonce, l.tag, l.key)
}

// names returns the escaped file names, separated by spaces.
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

const escapedSpace = `\x20`

var escaped = regexp.MustCompile(`\\([\\nr]|x[0-9a-f]{2})`)

// unescape is the inverse of [cli.Escape].
func unescape(text string) string {
	return escaped.ReplaceAllStringFunc(text, func(e string) string {
		ch, _ := strconv.Unquote(`"` + e + `"`)
		return ch
	})
}

var errNotSumLine = errors.New("not a line of unimac sum")

// parseSumLine parses a line without its newline. It accepts only the exact format that
// String writes.
func parseSumLine(line string) (*sumLine, error) {
	name, rest, ok := strings.Cut(line, " (")
	end := strings.LastIndex(rest, ") ") // the fields after the names contain no parenthesis
	if !ok || end < 0 {
		return nil, errNotSumLine
	}
	a, err := findAlgorithm(name)
	if err != nil {
		return nil, fmt.Errorf("algorithm %q is unknown", name)
	}
	l := &sumLine{algorithm: a}
	names := []string{rest[:end]}
	if a.list {
		names = strings.Split(rest[:end], " ")
	}
	for _, name := range names {
		if name == "" || strings.Contains(unescape(name), "\x00") {
			return nil, errNotSumLine
		}
		l.files = append(l.files, unescape(name))
	}
	for field := range strings.SplitSeq(rest[end+len(") "):], " ") {
		label, digits, _ := strings.Cut(field, "=")
		value, _ := hex.DecodeString(digits)
		switch label {
		case "nonce":
			l.nonce = value
		case "named-tag":
			l.tag = value
		case "key":
			l.key = value
		}
	}
	if len(l.nonce) != a.nonceSize || len(l.tag) != a.tagSize || len(l.key) != keyIDSize || l.String() != line {
		return nil, errNotSumLine
	}
	return l, nil
}
