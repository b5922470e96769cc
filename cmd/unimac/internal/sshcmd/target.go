// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// A target is a server as a user names it: [USER@]HOST[:PORT]. What is "" was not
// given.
type target struct{ login, host, port string }

// parseTarget reads a target.
func parseTarget(text string) (t target, err error) {
	t.host = text
	if at := strings.LastIndex(text, "@"); at >= 0 {
		t.login, t.host = text[:at], text[at+1:]
		if t.login == "" {
			return target{}, fmt.Errorf("%q has no user before the @", text)
		}
	}
	switch {
	case strings.HasPrefix(t.host, "[") && strings.HasSuffix(t.host, "]"):
		t.host = t.host[1 : len(t.host)-1]
	case strings.HasPrefix(t.host, "[") || strings.Count(t.host, ":") == 1:
		if t.host, t.port, err = net.SplitHostPort(t.host); err != nil {
			return target{}, fmt.Errorf("%q is no server: %w", text, err)
		}
		if t.port == "" {
			return target{}, fmt.Errorf("%q has an empty port", text)
		}
	}
	if t.host == "" || strings.Contains(t.host, "/") { // such as ssh://HOST
		return target{}, fmt.Errorf("%q has no host", text)
	}
	return t, nil
}

// usualRSASize is how many bits a key of RSA has at least, unless the configuration says more
// or less.
const usualRSASize = 1024

// A destination is all that is needed to reach a server. Lists of algorithms that are nil are
// this program's.
type destination struct {
	login, address string
	alias          string   // the address that files of known hosts have, if it is another
	identities     []string // files that the configuration names
	identitiesOnly bool     // and no others that the agent has
	agent          string   // its socket, or ""
	user, system   []string // files of known hosts
	acceptNew      bool
	minRSA         int // bits

	ciphers, macs, kex, hostKeys, publicKeys []string
}

// token is what stands for something else in a path.
var token = regexp.MustCompile(`%.?|\$\{[^}]*\}`)

// expand replaces what ssh -G leaves in the path of a key or of an agent.
func (d *destination) expand(path string) (string, error) {
	me, err := user.Current() // whose home ssh takes, whatever HOME says
	if err != nil {
		return "", err
	}
	host, _, _ := net.SplitHostPort(d.address)
	known := map[string]string{"%%": "%", "%d": me.HomeDir, "%h": host, "%r": d.login, "%u": me.Username}
	text := strings.Replace(path, "__PROGRAMDATA__", os.Getenv("ProgramData"), 1)
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		text = me.HomeDir + "/" + rest
	}
	text = token.ReplaceAllStringFunc(text, func(found string) string {
		value, ok := known[found]
		if name, isEnv := strings.CutPrefix(found, "${"); isEnv {
			value, ok = os.LookupEnv(strings.TrimSuffix(name, "}"))
		}
		if !ok {
			err = fmt.Errorf("%s: %s is not understood here", cli.Name(path), cli.Visible(found))
		}
		return value
	})
	if strings.HasPrefix(text, "~") {
		err = fmt.Errorf("%s: the home of another user is not followed here", cli.Name(path))
	}
	return filepath.FromSlash(text), err
}

// currentUser returns the name of the user, on Windows without the domain.
func currentUser() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.Username[strings.LastIndex(u.Username, `\`)+1:], nil
}
