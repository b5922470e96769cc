// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
)

// An environment collects the variables of a remote command: some of the server's
// variables, harmless variables from the client, and variables that describe the
// connection. The variables that describe the connection override the others.
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

// set adds a variable from the client. It returns an error if the variable does not
// concern the display of text, or if the variable exceeds a limit.
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

// inherited lists the server variables that commands get. They also get LC_*.
var inherited = []string{"PATH", "LANG", "TZ", "USER", "LOGNAME", "HOME", "SHELL", "MAIL"}

// all returns all variables. If a name occurs twice, the last value takes effect.
func (e *environment) all() []string {
	user, _ := currentUser()
	own := []string{"USER=" + user, "LOGNAME=" + user, "SHELL=" + shell()}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// Programs for Windows need many variables that the system sets.
		if slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_") || runtime.GOOS == "windows" && !strings.HasPrefix(name, "SSH_") {
			own = append(own, variable)
		}
	}
	return slices.Concat(own, e.client, e.last)
}
