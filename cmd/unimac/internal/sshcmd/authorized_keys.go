// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// authorizedKeys is the path of a file as sshd(8) describes it.
type authorizedKeys string

// A keyList is what such a file has.
type keyList struct {
	lines []keyLine

	idle idleLines
}

// idleLines are how many lines let nobody in, as they have options that are not
// known here or are certificates or authorities; and how many are no line at all.
type idleLines struct{ unknown, unreadable int }

// report tells how many there are.
func (n idleLines) report(path authorizedKeys, errorf func(format string, args ...any)) {
	for _, part := range []struct {
		n    int
		text string
	}{
		{n.unknown, "let nobody in: they have options that are not known here, or are certificates or authorities"},
		{n.unreadable, "cannot be read as keys"},
	} {
		if part.n > 0 {
			errorf("%s: %d lines %s", cli.VisibleName(string(path)), part.n, part.text)
		}
	}
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

	// Where there are several of these lists, what is permitted is in each.
	permitOpen, permitListen [][]permitted
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
			list.idle.unreadable++
			continue
		}
		l := keyLine{key: key}
		if _, isCert := key.(*ssh.Certificate); !isCert {
			l.grant = parseOptions(options)
		}
		if l.grant == nil {
			list.idle.unknown++
		} else {
			l.grant.fingerprint = key.Type() + " " + ssh.FingerprintSHA256(key)
		}
		list.lines = append(list.lines, l)
	}
	return list
}

// parseOptions returns what a line with options grants, or nil if one of them is
// not known here: it may forbid what nothing here would.
func parseOptions(options []string) *grant {
	g := new(grant)
	var open, listen []permitted
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
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
		case "permitopen":
			a, ok := parsePermitted(value, true)
			if !ok {
				return nil
			}
			open = append(open, a)
		case "permitlisten":
			a, ok := parsePermitted(value, false)
			if !ok {
				return nil
			}
			listen = append(listen, a)
		default:
			return nil
		}
	}
	if open != nil {
		g.permitOpen = [][]permitted{open}
	}
	if listen != nil {
		g.permitListen = [][]permitted{listen}
	}
	return g
}

var (
	errNotAuthorized = errors.New("the key is not in the file of authorized keys")
	errUnknownOption = errors.New("a line with options that are not known here restricts the key")
)

// usable returns how many lines let somebody in.
func (l *keyList) usable() (n int) {
	for _, line := range l.lines {
		if line.grant != nil {
			n++
		}
	}
	return n
}

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
			found.permitOpen = slices.Concat(found.permitOpen, line.grant.permitOpen)
			found.permitListen = slices.Concat(found.permitListen, line.grant.permitListen)
		}
	}
	if found == nil {
		return nil, errNotAuthorized
	}
	return found, nil
}
