// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// authorizedKeys is the path of an authorized_keys file, as described in sshd(8).
type authorizedKeys string

type keyList struct {
	lines    []keyLine
	unusable int // number of lines that are malformed, for a certificate, or with unknown options
}

type keyLine struct {
	key   ssh.PublicKey
	grant *grant // nil if the key is a certificate or has unknown options
}

// A grant describes the permissions of a key.
type grant struct {
	fingerprint              string
	noTerminal, noForwarding bool
}

const maxKeyFile = 4 << 20 // in bytes

// read reads the file. It returns an error if another user could have modified it.
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
			list.unusable++
			continue
		}
		l := keyLine{key: key}
		if _, isCert := key.(*ssh.Certificate); !isCert {
			l.grant = parseOptions(options)
		}
		if l.grant == nil {
			list.unusable++
		} else {
			l.grant.fingerprint = described(key)
		}
		list.lines = append(list.lines, l)
	}
	return list
}

// parseOptions returns the grant for a line with the given options. It returns nil if
// an option is unknown, because the option might be a restriction.
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

// find returns the grant for key. If key is on several lines, the most restrictive
// options apply.
func (l *keyList) find(key ssh.PublicKey) (*grant, error) {
	var found *grant
	for _, line := range l.lines {
		switch {
		case !bytes.Equal(line.key.Marshal(), key.Marshal()):
		case line.grant == nil:
			return nil, errors.New("a line with unknown options restricts the key")
		case found == nil:
			g := *line.grant
			found = &g
		default:
			found.noTerminal = found.noTerminal || line.grant.noTerminal
			found.noForwarding = found.noForwarding || line.grant.noForwarding
		}
	}
	if found == nil {
		return nil, errors.New("the key is not in the file of authorized keys")
	}
	return found, nil
}

// A strictness checks whether other users could have modified a file.
type strictness struct {
	home  string // directories above it are not checked
	user  int
	owner func(fs.FileInfo) (user int, known bool) // known is false if files have no owners
}

func strict() strictness { return strictness{home: inHome(), user: os.Getuid(), owner: cli.Owner} }

// check returns an error if another user could have modified the file at path, or if
// path no longer refers to the opened file. The file and every directory above it, up
// to the home directory, must belong to the user or to root, and must not be writable
// by other users. A directory with the sticky bit, such as /tmp, may be writable,
// because other users cannot replace its entries.
func (s strictness) check(path string, opened fs.FileInfo) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	home := s.home
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	for at, above := path, false; ; at, above = filepath.Dir(at), true {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if !above && !os.SameFile(info, opened) {
			return fmt.Errorf("%s: was replaced while it was read", cli.Escape(at))
		}
		if err := s.checkOne(info, above); err != nil {
			return fmt.Errorf("%s: %w", cli.Escape(at), err)
		}
		if at == home || at == filepath.Dir(at) {
			return nil
		}
	}
}

func (s strictness) checkOne(info fs.FileInfo, isDir bool) error {
	owner, known := s.owner(info)
	switch mode := info.Mode(); {
	case !known:
		return nil
	case owner != s.user && owner != 0:
		return fmt.Errorf("belongs to user %d, who could change it", owner)
	case mode.Perm()&0o022 != 0 && !(isDir && mode&fs.ModeSticky != 0):
		return fmt.Errorf("mode %04o lets others change it; run chmod go-w", mode.Perm())
	}
	return nil
}
