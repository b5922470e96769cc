// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// authorizedKeys is the path of a file as sshd(8) describes it.
type authorizedKeys string

// A keyList is what such a file has.
type keyList struct {
	lines []keyLine
	idle  int // lines that let nobody in: they are no keys, or have options that are not known here
}

// A keyLine is a line with a key. One that has options which are not known here
// lets nobody in: grant is nil.
type keyLine struct {
	key   ssh.PublicKey
	grant *grant
}

// A grant is what a key may do.
type grant struct {
	fingerprint              string
	noTerminal, noForwarding bool
}

// maxKeyFile is the most bytes of a file of authorized keys.
const maxKeyFile = 4 << 20

// read reads the file, if only the user can have written it.
func (path authorizedKeys) read() (*keyList, error) {
	f, err := cli.OpenFile(string(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := strict().check(string(path), info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err == nil && len(data) > maxKeyFile {
		err = fmt.Errorf("more than %d bytes", maxKeyFile)
	}
	if err != nil {
		return nil, err
	}
	return parseKeys(data), nil
}

func parseKeys(data []byte) *keyList {
	list := new(keyList)
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		key, _, options, _, err := ssh.ParseAuthorizedKey(line)
		if err != nil {
			list.idle++
			continue
		}
		l := keyLine{key: key}
		if _, isCert := key.(*ssh.Certificate); !isCert {
			l.grant = parseOptions(options)
		}
		if l.grant == nil {
			list.idle++
		} else {
			l.grant.fingerprint = described(key)
		}
		list.lines = append(list.lines, l)
	}
	return list
}

// parseOptions returns what a line with options grants, or nil if one of them is
// not known here: it may forbid what nothing here would.
func parseOptions(options []string) *grant {
	g := new(grant)
	for _, option := range options {
		switch strings.ToLower(option) {
		case "restrict":
			g.noTerminal, g.noForwarding = true, true
		case "no-pty":
			g.noTerminal = true
		case "pty":
			g.noTerminal = false
		case "no-port-forwarding":
			g.noForwarding = true
		case "port-forwarding":
			g.noForwarding = false
		case "no-agent-forwarding", "agent-forwarding", "no-x11-forwarding", "x11-forwarding", "no-user-rc", "user-rc": // there is none of these
		default:
			return nil
		}
	}
	return g
}

var (
	errNotAuthorized = errors.New("the key is not in the file of authorized keys")
	errUnknownOption = errors.New("a line with options that are not known here restricts the key")
)

// find returns what a key may do: what each line that has it grants. So no plainer
// line undoes what another forbids.
func (l *keyList) find(key ssh.PublicKey) (*grant, error) {
	var found *grant
	for _, line := range l.lines {
		switch {
		case !bytes.Equal(line.key.Marshal(), key.Marshal()):
		case line.grant == nil:
			return nil, errUnknownOption
		case found == nil:
			g := *line.grant
			found = &g
		default:
			found.noTerminal = found.noTerminal || line.grant.noTerminal
			found.noForwarding = found.noForwarding || line.grant.noForwarding
		}
	}
	if found == nil {
		return nil, errNotAuthorized
	}
	return found, nil
}
