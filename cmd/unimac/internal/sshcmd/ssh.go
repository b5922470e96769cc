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

// algorithmFlags defines -mac and -cipher. Parsing them sets the MACs and ciphers in
// the returned configuration.
func algorithmFlags(c *cli.Call) *ssh.Config {
	chosen := &ssh.Config{MACs: allMACs(), Ciphers: allCiphers()}
	algorithmFlag(c, "mac", "MAC", "all begins with UMAC", &chosen.MACs)
	algorithmFlag(c, "cipher", "cipher", "chacha20-poly1305@openssh.com and the GCM ones use no MAC", &chosen.Ciphers)
	return chosen
}

func algorithmFlag(c *cli.Call, name, kind, note string, chosen *[]string) {
	all := *chosen
	usage := fmt.Sprintf("the `%s`s to offer, best first, separated by commas; %s (default all)", kind, note)
	c.Flags.Func(name, usage, func(text string) error {
		if text == "all" {
			*chosen = all
			return nil
		}
		*chosen = strings.Split(text, ",")
		for _, algorithm := range *chosen {
			if !slices.Contains(all, algorithm) {
				return fmt.Errorf("no %s %q; there are %s", kind, algorithm, strings.Join(all, ", "))
			}
		}
		return nil
	})
}

// allMACs returns the supported MACs in order of preference.
func allMACs() []string {
	macs := append(sshpatch.Algorithms(), ssh.SupportedAlgorithms().MACs...)
	return slices.DeleteFunc(macs, func(mac string) bool { return mac == ssh.HMACSHA1 })
}

// allCiphers returns the supported ciphers in order of preference. It puts aes128-ctr
// first so that connections use UMAC, because AEAD ciphers ignore the negotiated MAC.
func allCiphers() []string {
	ciphers := []string{ssh.CipherAES128CTR, ssh.CipherChaCha20Poly1305, ssh.CipherAES128GCM}
	for _, cipher := range ssh.SupportedAlgorithms().Ciphers {
		if !slices.Contains(ciphers, cipher) {
			ciphers = append(ciphers, cipher)
		}
	}
	return ciphers
}

// accelerate makes package ssh use this module's ciphers if its version is supported.
var accelerate = sync.OnceFunc(func() { sshpatch.Accelerate() })

// Config returns a configuration offering the given MACs and ciphers. If UMAC is among
// them, Config registers it with package ssh.
func Config(macs, ciphers []string) (ssh.Config, error) {
	if slices.ContainsFunc(macs, func(mac string) bool { return slices.Contains(sshpatch.Algorithms(), mac) }) {
		if err := sshpatch.Register(); err != nil {
			return ssh.Config{}, err
		}
	}
	accelerate()
	return ssh.Config{KeyExchanges: ssh.SupportedAlgorithms().KeyExchanges, MACs: macs, Ciphers: ciphers}, nil
}

// otherAlgorithms is the hint printed when a connection fails right after switching to
// new keys.
const otherAlgorithms = "one end may compute the MAC or cipher incorrectly; try another -mac or -cipher"

// Negotiated returns the MAC and cipher used for sending. For AEAD ciphers, mac is "".
func Negotiated(conn ssh.Conn) (mac, cipher string) {
	a := conn.(ssh.AlgorithmsConnMetadata).Algorithms().Write
	return a.MAC, a.Cipher
}

func negotiated(conn ssh.Conn) string {
	mac, cipher := Negotiated(conn)
	return strings.TrimPrefix(mac+", "+cipher, ", ")
}
