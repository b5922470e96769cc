// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package sshcmd is the command unimac ssh: an SSH server and a client that use UMAC.
package sshcmd

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/sshpatch"
)

// Command returns the command.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "ssh",
		Short: "SSH connections that are authenticated by UMAC",
		Long: `An SSH server and client over golang.org/x/crypto/ssh that use OpenSSH's UMAC,
with each other or with OpenSSH.`,
		Examples: []string{
			"unimac ssh serve",
			"unimac ssh exec -accept-new -p 2222 localhost uname -a",
		},
		Sub: []*cli.Command{
			serveCommand(),
			execCommand(),
			copyCommand(),
		},
	}
}

// An algorithmChoice is what -mac and -cipher choose.
type algorithmChoice struct{ macs, ciphers *string }

func algorithmFlags(c *cli.Call) *algorithmChoice {
	return &algorithmChoice{
		macs:    c.Flags.String("mac", sshpatch.UMAC128ETM, "the `MAC`s to offer, best first, separated by commas"),
		ciphers: c.Flags.String("cipher", ssh.CipherAES128CTR, "the `cipher`s to offer, best first, separated by commas; chacha20-poly1305@openssh.com and the GCM ones use no MAC"),
	}
}

// allMACs and allCiphers list what goes together. Ciphers that authenticate by
// themselves, and leave the MAC unused, can be chosen, too.
func allMACs() []string {
	macs := append(sshpatch.Algorithms(), ssh.SupportedAlgorithms().MACs...)
	return slices.DeleteFunc(macs, func(mac string) bool { return mac == ssh.HMACSHA1 })
}

func allCiphers() []string {
	return slices.DeleteFunc(ssh.SupportedAlgorithms().Ciphers, isAEAD)
}

func isAEAD(cipher string) bool {
	return strings.Contains(cipher, "-gcm@") || strings.Contains(cipher, "-poly1305@")
}

// check returns an error for a name that cannot be chosen.
func (a *algorithmChoice) check() error {
	for _, cipher := range strings.Split(*a.ciphers, ",") {
		if all := ssh.SupportedAlgorithms().Ciphers; !slices.Contains(all, cipher) {
			return fmt.Errorf("no cipher %q; there are %s", cipher, strings.Join(all, ", "))
		}
	}
	for _, mac := range strings.Split(*a.macs, ",") {
		if !slices.Contains(allMACs(), mac) {
			return fmt.Errorf("no MAC %q; there are %s", mac, strings.Join(allMACs(), ", "))
		}
	}
	return nil
}

// config returns the configuration that offers the algorithms.
func (a *algorithmChoice) config() (ssh.Config, error) {
	return Config(strings.Split(*a.macs, ","), strings.Split(*a.ciphers, ","))
}

// accelerate puts this module's ciphers into package ssh, which works without them,
// too: where they do not fit, nothing is changed.
var accelerate = sync.OnceFunc(func() { sshpatch.Accelerate() })

// Config returns a configuration that offers the MACs and ciphers given, and
// registers UMAC where it is among them.
func Config(macs, ciphers []string) (ssh.Config, error) {
	if slices.ContainsFunc(macs, func(mac string) bool { return slices.Contains(sshpatch.Algorithms(), mac) }) {
		if err := sshpatch.Register(); err != nil {
			return ssh.Config{}, err
		}
	}
	accelerate()
	return ssh.Config{KeyExchanges: ssh.SupportedAlgorithms().KeyExchanges, MACs: macs, Ciphers: ciphers}, nil
}

// Negotiated returns the MACs and the ciphers in use on a connection, in both
// directions where they differ.
func Negotiated(conn ssh.Conn) (mac, cipher string) {
	a := conn.(ssh.AlgorithmsConnMetadata).Algorithms()
	mac, cipher = a.Read.MAC, a.Read.Cipher
	if a.Write.MAC != mac {
		mac += " and " + a.Write.MAC
	}
	if a.Write.Cipher != cipher {
		cipher += " and " + a.Write.Cipher
	}
	return mac, cipher
}
