// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
)

// An environment collects the variables of a remote command: the server's variables,
// harmless variables of the client, and variables that describe the connection, which
// override the others.
type environment struct {
	client []string
	bytes  int
	last   []string
}

// Limits on the variables that a client may set.
const (
	maxVariables     = 64
	maxVariableBytes = 16 << 10
)

func newEnvironment(remote, local net.Addr) *environment {
	e := new(environment)
	remoteHost, remotePort, err1 := net.SplitHostPort(remote.String())
	localHost, localPort, err2 := net.SplitHostPort(local.String())
	if err1 == nil && err2 == nil {
		e.last = []string{
			fmt.Sprintf("SSH_CONNECTION=%s %s %s %s", remoteHost, remotePort, localHost, localPort),
			fmt.Sprintf("SSH_CLIENT=%s %s %s", remoteHost, remotePort, localPort),
		}
	}
	return e
}

// set adds a variable of the client. It returns an error if the variable does not
// concern the display of text, or if a limit is exceeded.
func (e *environment) set(name, value string) error {
	switch {
	case name == "LANG", name == "COLORTERM", name == "TERM":
	case strings.HasPrefix(name, "LC_") && !strings.ContainsAny(name, "=\x00"):
	default:
		return errUnsupported
	}
	if strings.Contains(value, "\x00") || len(e.client) == maxVariables || e.bytes+len(name)+len(value) > maxVariableBytes {
		return fmt.Errorf("variable %q cannot be set", name)
	}
	e.bytes += len(name) + len(value)
	e.client = append(e.client, name+"="+value)
	return nil
}

// notInherited lists server variables that clients must not see. They describe the
// connection over which the server was started, and lead to the agent of the user who
// started it.
var notInherited = []string{"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "SSH_ORIGINAL_COMMAND", "SSH_AUTH_SOCK", "SSH_AGENT_PID"}

// all returns all variables. If a name occurs twice, the last value takes effect.
func (e *environment) all() []string {
	own := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(notInherited, name)
	})
	return slices.Concat(own, e.client, e.last)
}
