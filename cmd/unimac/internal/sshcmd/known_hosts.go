// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// knownHosts are the lines that say which keys servers have, as sshd(8) describes
// them.
type knownHosts struct {
	files []string
	lines []hostLine
}

// A hostLine is one of them.
type hostLine struct {
	place   string // FILE:LINE
	marker  string // "", "cert-authority" or "revoked"
	pattern []string
	key     ssh.PublicKey
}

// systemKnownHosts returns the files of the system, where OpenSSH has them.
func systemKnownHosts(goos string) []string {
	file := "/etc/ssh/ssh_known_hosts"
	if goos == "windows" {
		file = filepath.Join(os.Getenv("ProgramData"), "ssh", "ssh_known_hosts")
	}
	return []string{file, file + "2"}
}

// readKnownHosts reads files. One that does not exist is empty. A line that cannot be read is
// skipped with a warning.
func readKnownHosts(files []string, warnf func(format string, args ...any)) (*knownHosts, error) {
	k := &knownHosts{files: files}
	for _, file := range k.files {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %s", cli.Name(file), cli.Reason(err))
		}
		number := 0
		for line := range bytes.Lines(data) {
			number++
			place := fmt.Sprintf("%s:%d", cli.Name(file), number)
			if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
				continue
			}
			marker, hosts, key, _, _, err := ssh.ParseKnownHosts(line)
			if err == nil && marker != "" && marker != "cert-authority" && marker != "revoked" {
				err = fmt.Errorf("marker @%s is unknown", marker)
			}
			if err != nil {
				warnf("%s: skipped: %s", place, cli.Visible(err.Error()))
				continue
			}
			k.lines = append(k.lines, hostLine{place, marker, hosts, key})
		}
	}
	return k, nil
}

// knownFiles returns the files of known hosts that are set, or else those that are usual. ssh -G
// does not say where a path with a blank ends.
func knownFiles(paths string, usual []string) (files []string, err error) {
	if paths == "" {
		return usual, nil
	}
	for _, file := range strings.Fields(paths) {
		file = strings.Replace(file, "__PROGRAMDATA__", os.Getenv("ProgramData"), 1)
		switch {
		case file == "none":
		case !filepath.IsAbs(file):
			return nil, fmt.Errorf("%s: files of known hosts with a blank, or below no folder, are not understood here", cli.Visible(paths))
		default:
			files = append(files, file)
		}
	}
	return files, nil
}

// of returns the lines of a marker that are about an address, HOST:PORT.
func (k *knownHosts) of(address, marker string) (found []hostLine) {
	for _, line := range k.lines {
		if line.marker == marker && line.matches(hostName(address)) {
			found = append(found, line)
		}
	}
	return found
}

// ofHost returns those lines and then, as OpenSSH does, those about the host that name
// no port: its key on port 22 is its key on any.
func (k *knownHosts) ofHost(address, marker string) []hostLine {
	found := k.of(address, marker)
	if host, port, err := net.SplitHostPort(address); err == nil && port != "22" {
		found = append(found, k.of(net.JoinHostPort(host, "22"), marker)...)
	}
	return found
}

// hostName returns an address as files of known hosts have it.
func hostName(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return strings.ToLower(address)
	}
	if port != "22" {
		host = "[" + host + "]:" + port
	}
	return strings.ToLower(host)
}

// matches reports whether the patterns of a line match a name, and none of them
// that begins with an exclamation mark.
func (l *hostLine) matches(name string) bool {
	matched := false
	for _, pattern := range l.pattern {
		if rest, ok := strings.CutPrefix(pattern, "!"); ok {
			if wildcard(strings.ToLower(rest), name) {
				return false
			}
		} else if strings.HasPrefix(pattern, "|") {
			matched = matched || hashedIs(pattern, name)
		} else if wildcard(strings.ToLower(pattern), name) {
			matched = true
		}
	}
	return matched
}

// wildcard reports whether a pattern with * and ?, and no other of [path.Match], matches a name.
func wildcard(pattern, name string) bool {
	matches, err := path.Match(strings.NewReplacer(`\`, `\\`, "[", `\[`).Replace(pattern), name)
	return matches && err == nil
}

// hashedIs reports whether |1|SALT|HASH is that of a name.
func hashedIs(pattern, name string) bool {
	parts := strings.Split(pattern, "|")
	if len(parts) != 4 || parts[1] != "1" {
		return false
	}
	salt, err1 := base64.StdEncoding.DecodeString(parts[2])
	hash, err2 := base64.StdEncoding.DecodeString(parts[3])
	if err1 != nil || err2 != nil {
		return false
	}
	h := hmac.New(sha1.New, salt) // that is the format
	h.Write([]byte(name))
	return hmac.Equal(h.Sum(nil), hash)
}
