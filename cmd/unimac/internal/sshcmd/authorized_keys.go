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

// authorizedKeys is the path of a file in the format described in sshd(8).
type authorizedKeys string

// A keyList is the content of such a file.
type keyList struct {
	lines []keyLine
	idle  int // number of lines that admit nobody: malformed lines, certificates and unknown options
}

// A keyLine is a line with a key. If the line has unknown options or the key is a
// certificate, grant is nil and the line admits nobody.
type keyLine struct {
	key   ssh.PublicKey
	grant *grant
}

// A grant describes what a key is allowed to do.
type grant struct {
	fingerprint              string
	noTerminal, noForwarding bool
}

// maxKeyFile is the size limit in bytes for the file.
const maxKeyFile = 4 << 20

// read reads the file. If another user could have written the file, read returns an
// error.
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

// parseOptions returns the grant for a line with the given options. If an option is
// unknown, parseOptions returns nil, because this server does not enforce any
// restriction that the option may impose.
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
		case "no-agent-forwarding", "agent-forwarding", "no-x11-forwarding", "x11-forwarding", "no-user-rc", "user-rc": // the server has none of these features
		default:
			return nil
		}
	}
	return g
}

var (
	errNotAuthorized = errors.New("the key is not in the file of authorized keys")
	errUnknownOption = errors.New("a line with unknown options restricts the key")
)

// find returns the grant for key. If several lines contain the key, the grant allows
// only the actions that all of these lines allow, so that no line removes the
// restriction of another line.
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
