// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Want:  "none",
		Args:  "[FLAGS]",
		Short: "run an SSH server",
		Long: `Runs an SSH server until it is interrupted. A client whose public key is in the file of
authorized keys may run commands and shells and copy files by SFTP, as the user who
started the server. A client that logs in with another name is told so. Commands, and
relative names of files, begin in the user's home. With -read-only there are no commands
and shells, and files can only be read.

If a client disconnects or the server ends, the process groups of its commands receive
SIGHUP. A process that ignores SIGHUP, or that left the group, goes on.

The file of authorized keys, and each folder above it up to the home, must belong to the
user or to root, and nobody else may be able to write there; a folder such as /tmp, where
nobody can replace files of others, is accepted. The server knows these options of lines:
restrict, no-pty, no-port-forwarding, no-agent-forwarding, no-x11-forwarding, no-user-rc
and their opposites. A key that any line restricts is restricted, whatever other lines
say. If a line has another option, such as command= or permitopen=, its key is refused.
At the start the server prints how many lines admit nobody.

With -forward, clients may reach other servers through this one (ssh -L, -D, -J). The
server listens on no port for them (ssh -R), and does not forward their agent.

Commands get PATH, LANG, LC_*, TZ, USER, LOGNAME, HOME, SHELL and MAIL as the server has
them (on Windows all variables except SSH_*), LANG, LC_*, COLORTERM and TERM as the client
sends them, and SSH_CONNECTION, SSH_CLIENT and SSH_TTY. If too many clients are logging
in, the server drops some at random, from the address with the most of them.

The server prints its address and the fingerprint of its key. For each connection it
prints when the connection begins and ends, the key that logged in, and the negotiated
MAC and cipher. For a failed login it prints the name and the keys.`,
		Examples: []string{
			"unimac ssh serve",
			"unimac ssh serve -listen :2222 -read-only",
		},
		Values: map[string][]string{"cipher": allCiphers(), "mac": allMACs()},
		New:    newServe,
	}
}

type serveOptions struct{ forward, readOnly bool }

func newServe(c *cli.Call) func() int {
	var options serveOptions
	listen := c.Flags.String("listen", "127.0.0.1:2222", "the `address` to listen on")
	authorized := c.Flags.String("authorized-keys", "", "the `file` of the keys that may log in (default ~/.ssh/authorized_keys)")
	hostKeyPath := c.Flags.String("host-key", "", "the `file` of the server's private key, made if it does not exist (default unimac/ssh_host_ed25519_key in the folder for configuration)")
	c.Flags.BoolVar(&options.forward, "forward", false, "let clients reach other servers through this one")
	c.Flags.BoolVar(&options.readOnly, "read-only", false, "files alone, and nothing is changed")
	algorithms := algorithmFlags(c)
	return func() int {
		if *authorized == "" {
			*authorized = inHome(".ssh", "authorized_keys")
		}
		if dir, err := os.UserConfigDir(); err == nil && *hostKeyPath == "" {
			*hostKeyPath = filepath.Join(dir, "unimac", "ssh_host_ed25519_key")
		}
		config, err := Config(algorithms.MACs, algorithms.Ciphers)
		if err != nil {
			return c.Errorf("%v", err)
		}
		signer, err := hostKey(*hostKeyPath)
		if err != nil {
			return c.Errorf("%s: %s", cli.Name(*hostKeyPath), cli.Reason(err))
		}
		if status := checkAuthorized(c, *authorized); status != cli.ExitOK {
			return status
		}
		listener, err := net.Listen("tcp", *listen)
		if err != nil {
			return c.Errorf("%v", err)
		}
		ctx, stop := cli.SignalContext()
		defer stop()
		s := newServer(config, signer, authorizedKeys(*authorized), options, newJournal(c.Stdout.W, c.Stderr, c.Path+": "))
		if err := s.serve(ctx, listener); err != nil {
			return c.Errorf("%v", err)
		}
		return cli.ExitOK
	}
}

// checkAuthorized prints any problems with the file of authorized keys. If the file
// authorizes no key, checkAuthorized also prints commands for creating and authorizing
// one.
func checkAuthorized(c *cli.Call, path string) int {
	list, err := authorizedKeys(path).read()
	name := cli.Name(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Errorf("%s: %s", name, cli.Reason(err))
	case err != nil:
		return c.Errorf("%s: %s", name, cli.Reason(err))
	default:
		if list.unusable > 0 {
			c.Errorf("%s: %d lines admit nobody: they are malformed or have unknown options", name, list.unusable)
		}
		if slices.ContainsFunc(list.lines, func(l keyLine) bool { return l.grant != nil }) {
			return cli.ExitOK
		}
		c.Errorf("%s: contains no key that may log in", name)
	}
	key := inHome(".ssh", "id_ed25519")
	advice := "To authorize your key:\n\n"
	if _, err := os.Stat(key + ".pub"); err != nil {
		advice = fmt.Sprintf("To create a key and authorize it:\n\n\tmkdir -p -m 700 %s && ssh-keygen -q -t ed25519 -N '' -f %s\n",
			cli.Quote(inHome(".ssh")), cli.Quote(key))
	}
	fmt.Fprintf(c.Stderr, "%s\t(umask 077; cat %s >>%s)\n", advice, cli.Quote(key+".pub"), cli.Quote(path))
	return cli.ExitFailed
}
