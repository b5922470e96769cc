// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package sshcmd implements the command "unimac ssh", an SSH server and client that use
// UMAC.
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

// Command returns the ssh command.
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

// An algorithmChoice holds the values of -mac and -cipher.
type algorithmChoice struct{ macs, ciphers *string }

func algorithmFlags(c *cli.Call) *algorithmChoice {
	return &algorithmChoice{
		macs:    c.Flags.String("mac", "all", "the `MAC`s to offer, best first, separated by commas; all begins with UMAC"),
		ciphers: c.Flags.String("cipher", "all", "the `cipher`s to offer, best first, separated by commas; chacha20-poly1305@openssh.com and the GCM ones use no MAC"),
	}
}

// allMACs and allCiphers return the supported algorithms in order of preference. The
// first MAC is UMAC. The first cipher is aes128-ctr, because the AEAD ciphers do not
// use the negotiated MAC.
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

// chosen returns the algorithms in names, or all if names is "all".
func chosen(names string, all []string) []string {
	if names == "all" {
		return all
	}
	return strings.Split(names, ",")
}

// check returns an error if a chosen algorithm does not exist.
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

// config returns a configuration that offers the chosen algorithms.
func (a *algorithmChoice) config() (ssh.Config, error) {
	return Config(chosen(*a.macs, allMACs()), chosen(*a.ciphers, allCiphers()))
}

// accelerate makes package ssh use this module's ciphers. If these ciphers do not fit
// the version of package ssh, accelerate changes nothing.
var accelerate = sync.OnceFunc(func() { sshpatch.Accelerate() })

// Config returns a configuration that offers the given MACs and ciphers. If UMAC is
// among the MACs, Config registers it with package ssh.
func Config(macs, ciphers []string) (ssh.Config, error) {
	if slices.ContainsFunc(macs, func(mac string) bool { return slices.Contains(sshpatch.Algorithms(), mac) }) {
		if err := sshpatch.Register(); err != nil {
			return ssh.Config{}, err
		}
	}
	accelerate()
	return ssh.Config{KeyExchanges: ssh.SupportedAlgorithms().KeyExchanges, MACs: macs, Ciphers: ciphers}, nil
}

// otherAlgorithms is the advice to show when a connection fails as the new keys take
// effect.
const otherAlgorithms = "one end may compute the MAC or cipher incorrectly; try another -mac or -cipher"

// Negotiated returns the MAC and the cipher that this end uses for sending. If the
// cipher needs no MAC, Negotiated returns "" as the MAC.
func Negotiated(conn ssh.Conn) (mac, cipher string) {
	a := conn.(ssh.AlgorithmsConnMetadata).Algorithms().Write
	return a.MAC, a.Cipher
}

// negotiated returns the negotiated MAC and cipher as text.
func negotiated(conn ssh.Conn) string {
	mac, cipher := Negotiated(conn)
	if mac == "" {
		return cipher
	}
	return mac + ", " + cipher
}
