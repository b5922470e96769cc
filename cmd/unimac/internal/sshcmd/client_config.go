// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kevinburke/ssh_config"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A clientConfig is a file as ssh_config(5) describes it. Of what it can say,
// HostName, Port, User, IdentityFile and ProxyJump count here.
type clientConfig struct{ config *ssh_config.Config }

// readConfig reads the file; one that does not exist is empty. Of one that it
// cannot read it warns: what is not known of a server may be asked for by flags.
func readConfig(path string, warnf func(format string, args ...any)) *clientConfig {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &clientConfig{}
	}
	var config *ssh_config.Config
	if err == nil {
		data = withoutUnknownMatches(data, func(line int, reason string) {
			warnf("%s:%d: skipped up to the next Host or Match: %s", cli.VisibleName(path), line, cli.Visible(reason))
		})
		config, err = decodeConfig(data)
	}
	if err != nil {
		warnf("%s: ignored: %s", cli.VisibleName(path), cli.Visible(cli.Reason(err)))
	}
	return &clientConfig{config}
}

// decodeConfig parses a file, whatever package ssh_config does with it.
func decodeConfig(data []byte) (config *ssh_config.Config, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			config, err = nil, fmt.Errorf("%v", problem)
		}
	}()
	return ssh_config.DecodeBytes(bytes.TrimPrefix(data, []byte("\ufeff")))
}

// withoutUnknownMatches leaves out the parts of a file that begin with a Match which
// package ssh_config does not know, such as Match exec. They would cost all of the file.
func withoutUnknownMatches(data []byte, skipped func(line int, reason string)) []byte {
	var kept []byte
	number, skip := 0, false
	for line := range bytes.Lines(data) {
		number++
		keyword := bytes.TrimLeft(line, " \t")
		if end := bytes.IndexAny(keyword, " \t=\r\n"); end >= 0 {
			keyword = keyword[:end]
		}
		switch string(bytes.ToLower(keyword)) {
		case "host":
			skip = false
		case "match":
			_, err := decodeConfig(line)
			if skip = err != nil; skip {
				skipped(number, strings.TrimPrefix(positioned.ReplaceAllString(err.Error(), ""), "ssh_config: "))
			}
		}
		if skip {
			line = []byte("\n") // so that the others keep their numbers
		}
		kept = append(kept, line...)
	}
	return kept
}

// positioned is where package ssh_config puts an error.
var positioned = regexp.MustCompile(`^\(\d+, \d+\): `)

func (c *clientConfig) get(alias, key string) string {
	if c.config == nil {
		return ""
	}
	value, _ := c.config.Get(alias, key)
	return strings.Trim(value, `"`)
}

// A destination is all that is needed to reach a server.
type destination struct {
	login, address string
	identities     []string // files that the configuration names
	jumps          []target // servers on the way, the first to connect to first
}

// resolve completes a target.
func (c *clientConfig) resolve(t target) (*destination, error) {
	login := cmp.Or(t.login, c.get(t.host, "User"))
	if login == "" {
		var err error
		if login, err = currentUser(); err != nil {
			return nil, err
		}
	}
	host := strings.ReplaceAll(cmp.Or(c.get(t.host, "HostName"), t.host), "%h", t.host)
	port := cmp.Or(t.port, c.get(t.host, "Port"), "22")
	d := &destination{login: login, address: net.JoinHostPort(host, port)}
	if c.config != nil {
		files, _ := c.config.GetAll(t.host, "IdentityFile")
		for _, file := range files {
			d.identities = append(d.identities, expand(strings.Trim(file, `"`), host, login))
		}
	}
	if jump := c.get(t.host, "ProxyJump"); jump != "" && !strings.EqualFold(jump, "none") {
		for part := range strings.SplitSeq(jump, ",") {
			t, err := parseTarget(strings.TrimPrefix(strings.TrimSpace(part), "ssh://"))
			if err != nil {
				return nil, fmt.Errorf("ProxyJump: %w", err)
			}
			d.jumps = append(d.jumps, t)
		}
	}
	d.identities = slices.Compact(d.identities)
	return d, nil
}

// expand replaces ~ and what stands for parts of a destination in the path of a key.
func expand(path, host, login string) string {
	user, _ := currentUser()
	path = strings.NewReplacer("%%", "%", "%d", inHome(), "%h", host, "%r", login, "%u", user).Replace(path)
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = inHome(filepath.FromSlash(rest))
	}
	return path
}
