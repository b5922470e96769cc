// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A clientConfig is a file as ssh_config(5) describes it. Of what it can say, HostName,
// Port, User, IdentityFile, IdentitiesOnly and Include count here.
type clientConfig struct {
	path  string
	check bool // who may have written it
	warnf func(format string, args ...any)
	told  map[string]bool // the warnings that were given
}

// readConfig returns the file that a flag names, or else the user's own. As with ssh, nobody
// else may be able to write to that.
func readConfig(path string, warnf func(format string, args ...any)) *clientConfig {
	c := &clientConfig{path: path, warnf: warnf, told: make(map[string]bool)}
	if path == "" {
		c.path, c.check = inHome(".ssh", "config"), true
	}
	return c
}

// hostConfig is what a file says of a host. Of an option, the first value counts.
type hostConfig struct {
	values     map[string]string
	identities []string
}

// notFollowed are options that restrict whom to trust and which algorithms to use, or lead
// another way, and that are not followed here. A value that is the default does nothing.
var notFollowed = map[string]string{
	"proxy": "none", "revokedhostkeys": "none", "knownhostscommand": "none", "canonicalizehostname": "no",
	"bindaddress": "", "bindinterface": "", "addressfamily": "any", "userknownhostsfile": "", "globalknownhostsfile": "",
	"ciphers": "", "macs": "", "kexalgorithms": "", "hostkeyalgorithms": "", "casignaturealgorithms": "",
	"pubkeyacceptedalgorithms": "", "pubkeyauthentication": "yes", "requiredrsasize": "",
}

// of returns what the file says of a host, as the user names it.
func (c *clientConfig) of(host string) (*hostConfig, error) {
	h := &hostConfig{values: make(map[string]string)}
	if c.path == "none" {
		return h, nil
	}
	r := &configReader{clientConfig: c, host: strings.ToLower(host), into: h, applies: true}
	err := r.read(c.path, 0)
	if c.check && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return h, err
}

// A configReader reads files for a host.
type configReader struct {
	*clientConfig
	host    string
	into    *hostConfig
	applies bool // what comes is about the host
	over    bool // a line was not understood: of those after it none is used
}

// maxConfig is the most bytes of a file, and maxIncludes how deep files include others.
const (
	maxConfig   = 1 << 20
	maxIncludes = 16
)

// read reads a file.
func (r *configReader) read(path string, depth int) error {
	name := cli.VisibleName(path)
	f, err := cli.OpenFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && r.check {
		err = strict().checkOne(info, false)
	}
	if err != nil {
		return fmt.Errorf("%s: %s", name, cli.Reason(err))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxConfig))
	if err != nil {
		return fmt.Errorf("%s: %s", name, cli.Reason(err))
	}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		number++
		if err := r.line(string(line), fmt.Sprintf("%s:%d", name, number), depth); err != nil {
			return err
		}
	}
	return nil
}

// line takes a line.
func (r *configReader) line(line, place string, depth int) error {
	keyword, args, err := splitConfig(line)
	switch {
	case err != nil:
		r.stop(place, err.Error())
	case keyword == "":
	case keyword == "host":
		r.applies = (&hostLine{pattern: args}).matches(r.host)
	case keyword == "match":
		r.applies = true // as far as is known here
		if len(args) != 1 || !strings.EqualFold(args[0], "all") {
			r.stop(place, "Match is not followed")
		}
	case !r.applies:
	case keyword == "include":
		return r.include(args, place, depth)
	case len(args) == 0:
		r.stop(place, "no value")
	default:
		return r.option(keyword, args, place)
	}
	return nil
}

// stop leaves out what comes, and says so once.
func (r *configReader) stop(place, reason string) {
	if r.over = true; !r.told[place] {
		r.told[place] = true
		r.warnf("%s: %s: this line and those after it are left out", place, cli.Visible(reason))
	}
}

// option takes an option of the host, of which the first value counts. One that is not followed
// is an error, also after a line that was not understood, as then nobody knows what is right.
func (r *configReader) option(keyword string, args []string, place string) error {
	key, value, h := keyword, args[0], r.into
	if keyword == "proxyjump" || keyword == "proxycommand" {
		key = "proxy" // the first of both counts
	}
	if h.values[key] != "" {
		return nil
	}
	if harmless, ok := notFollowed[key]; ok && !strings.EqualFold(value, harmless) {
		return fmt.Errorf("%s: %s is not followed here; with -F none the file is not read", place, cli.Visible(keyword))
	}
	switch {
	case r.over:
	case keyword == "identityfile":
		h.identities = append(h.identities, value)
	default:
		h.values[key] = value
	}
	return nil
}

// include reads the files that a line names. What one of them says of hosts ends with it.
func (r *configReader) include(args []string, place string, depth int) error {
	if depth == maxIncludes {
		return fmt.Errorf("%s: too many files include others", place)
	}
	for _, pattern := range args {
		if pattern = fromHome(pattern); !filepath.IsAbs(pattern) {
			pattern = inHome(".ssh", pattern)
		}
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
		for _, path := range paths {
			if err := r.read(path, depth+1); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			r.applies = true // as it was
		}
	}
	return nil
}

var errQuote = errors.New("quotes within a word, or without an end, are not understood")

// splitConfig splits a line into its keyword, in lower case, and what follows: words, and what
// is in quotes. Other quoting that ssh has is an error.
func splitConfig(line string) (keyword string, args []string, err error) {
	const space = " \t\r\n\f"
	line = strings.Trim(line, space)
	if line == "" || line[0] == '#' {
		return "", nil, nil
	}
	end := strings.IndexAny(line+" ", space+"=")
	keyword = strings.ToLower(strings.Trim(line[:end], `"`))
	rest := strings.TrimLeft(line[end:], space)
	for rest = strings.TrimPrefix(rest, "="); ; {
		rest = strings.TrimLeft(rest, space)
		if rest == "" || rest[0] == '#' {
			return keyword, args, nil
		}
		var arg string
		if rest[0] == '"' {
			arg, rest, _ = strings.Cut(rest[1:]+" ", `"`)
		} else {
			end := strings.IndexAny(rest+" ", space)
			arg, rest = rest[:end], rest[end:]+" "
		}
		// Before other characters, ssh takes a backslash for itself, as in paths of Windows.
		escape := strings.Contains(arg, `\\`) || strings.HasSuffix(arg, `\`)
		if escape || strings.ContainsAny(arg, `"'`) || rest == "" || !strings.ContainsAny(rest[:1], space) {
			return "", nil, errQuote
		}
		args = append(args, arg)
	}
}

// A destination is all that is needed to reach a server.
type destination struct {
	login, address string
	identities     []string // files that the configuration names
	identitiesOnly bool     // and no others that the agent has
}

// resolve completes a target.
func (c *clientConfig) resolve(t target) (*destination, error) {
	h, err := c.of(t.host)
	if err != nil {
		return nil, err
	}
	login := cmp.Or(t.login, h.values["user"])
	if login == "" {
		if login, err = currentUser(); err != nil {
			return nil, err
		}
	}
	host := strings.NewReplacer("%%", "%", "%h", t.host).Replace(cmp.Or(h.values["hostname"], t.host))
	d := &destination{login: login, address: net.JoinHostPort(host, cmp.Or(t.port, h.values["port"], "22"))}
	d.identitiesOnly = strings.EqualFold(h.values["identitiesonly"], "yes")
	for _, file := range h.identities {
		if file = expand(file, host, login); !slices.Contains(d.identities, file) {
			d.identities = append(d.identities, file)
		}
	}
	return d, nil
}

// expand replaces ~ and what stands for parts of a destination in the path of a key.
func expand(path, host, login string) string {
	user, _ := currentUser()
	return fromHome(strings.NewReplacer("%%", "%", "%d", inHome(), "%h", host, "%r", login, "%u", user).Replace(path))
}

// fromHome replaces ~ in a path.
func fromHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return inHome(filepath.FromSlash(rest))
	}
	return path
}
