// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"net"
	"os/user"
	"strings"
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
	if t.host == "" {
		return target{}, fmt.Errorf("%q has no host", text)
	}
	return t, nil
}

// setPort sets the port that a flag names.
func (t *target) setPort(port string) error {
	switch {
	case port == "":
	case t.port != "":
		return errors.New("the port is given twice")
	default:
		t.port = port
	}
	return nil
}

// currentUser returns the name of the user, on Windows without the domain.
func currentUser() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.Username[strings.LastIndex(u.Username, `\`)+1:], nil
}
