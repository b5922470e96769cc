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
		},
	}
}

// An algorithmChoice is what -mac and -cipher choose.
type algorithmChoice struct{ macs, ciphers *string }

func algorithmFlags(c *cli.Call) *algorithmChoice {
	return &algorithmChoice{
		macs:    c.Flags.String("mac", "all", "the `MAC`s to offer, best first, separated by commas; all begins with UMAC"),
		ciphers: c.Flags.String("cipher", "all", "the `cipher`s to offer, best first, separated by commas; chacha20-poly1305@openssh.com and the GCM ones use no MAC"),
	}
}

// allMACs and allCiphers list what there is, best first: UMAC, and what it goes with. The
// other ciphers authenticate by themselves, and leave the MAC unused.
func allMACs() []string {
	macs := append(sshpatch.Algorithms(), ssh.SupportedAlgorithms().MACs...)
	return slices.DeleteFunc(macs, func(mac string) bool { return mac == ssh.HMACSHA1 })
}

func allCiphers() []string {
	ciphers := []string{ssh.CipherAES128CTR, ssh.CipherChaCha20Poly1305, ssh.CipherAES128GCM}
	for _, cipher := range ssh.SupportedAlgorithms().Ciphers {
		if !slices.Contains(ciphers, cipher) {
			ciphers = append(ciphers, cipher)
		}
	}
	return ciphers
}

// chosen returns what is chosen of all there is.
func chosen(names string, all []string) []string {
	if names == "all" {
		return all
	}
	return strings.Split(names, ",")
}

// check returns an error for a name that cannot be chosen.
func (a *algorithmChoice) check() error {
	for _, of := range []struct {
		kind, names string
		all         []string
	}{{"cipher", *a.ciphers, allCiphers()}, {"MAC", *a.macs, allMACs()}} {
		for _, name := range chosen(of.names, of.all) {
			if !slices.Contains(of.all, name) {
				return fmt.Errorf("no %s %q; there are %s", of.kind, name, strings.Join(of.all, ", "))
			}
		}
	}
	return nil
}

// config returns the configuration that offers the algorithms.
func (a *algorithmChoice) config() (ssh.Config, error) {
	return Config(chosen(*a.macs, allMACs()), chosen(*a.ciphers, allCiphers()))
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

// otherAlgorithms is what to do if the connection fails when the new keys take effect.
const otherAlgorithms = "one end may compute the MAC or cipher incorrectly; try another -mac or -cipher"

// Negotiated returns the MAC and the cipher in use on a connection, of what this end sends.
// A MAC that the cipher does not use is "".
func Negotiated(conn ssh.Conn) (mac, cipher string) {
	a := conn.(ssh.AlgorithmsConnMetadata).Algorithms().Write
	return a.MAC, a.Cipher
}

// negotiated is that in a line.
func negotiated(conn ssh.Conn) string {
	mac, cipher := Negotiated(conn)
	if mac == "" {
		return cipher
	}
	return mac + ", " + cipher
}
