// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/sshpatch"
)

func sshCommand() *command {
	return &command{
		name:  "ssh",
		short: "SSH connections that are authenticated by UMAC",
		long: `An SSH server and client over golang.org/x/crypto/ssh that use OpenSSH's UMAC,
with each other or with OpenSSH.`,
		sub: []*command{
			serveCommand(),
			execCommand(),
			vendorCommand(),
		},
	}
}

// sshAlgorithms is what -mac and -cipher choose.
type sshAlgorithms struct{ macs, ciphers *string }

func sshAlgorithmFlags(c *call) *sshAlgorithms {
	return &sshAlgorithms{
		macs:    c.flags.String("mac", sshpatch.UMAC128ETM, "the `MAC`s to offer, best first, separated by commas"),
		ciphers: c.flags.String("cipher", ssh.CipherAES128CTR, "the `cipher`s to offer, best first, separated by commas"),
	}
}

// sshMACs and sshCiphers list what can be chosen. The ciphers that authenticate
// by themselves, and would leave the MAC unused, are not among them.
func sshMACs() []string {
	return append(sshpatch.Algorithms(), ssh.SupportedAlgorithms().MACs...)
}

func sshCiphers() []string {
	return slices.DeleteFunc(ssh.SupportedAlgorithms().Ciphers, isAEAD)
}

func isAEAD(cipher string) bool {
	return strings.Contains(cipher, "-gcm@") || strings.Contains(cipher, "-poly1305@")
}

// check returns an error for a name that cannot be chosen.
func (a *sshAlgorithms) check() error {
	for _, cipher := range strings.Split(*a.ciphers, ",") {
		switch {
		case isAEAD(cipher):
			return fmt.Errorf("cipher %s authenticates by itself and uses no MAC", cipher)
		case !slices.Contains(sshCiphers(), cipher):
			return fmt.Errorf("no cipher %q; there are %s", cipher, strings.Join(sshCiphers(), ", "))
		}
	}
	for _, mac := range strings.Split(*a.macs, ",") {
		if !slices.Contains(sshMACs(), mac) {
			return fmt.Errorf("no MAC %q; there are %s", mac, strings.Join(sshMACs(), ", "))
		}
	}
	return nil
}

// config returns the configuration that offers the algorithms.
func (a *sshAlgorithms) config() (ssh.Config, error) {
	return sshConfig(strings.Split(*a.macs, ","), strings.Split(*a.ciphers, ","))
}

// sshConfig returns a configuration that offers the MACs and ciphers given, and
// registers UMAC where it is among them.
func sshConfig(macs, ciphers []string) (ssh.Config, error) {
	if slices.ContainsFunc(macs, func(mac string) bool { return slices.Contains(sshpatch.Algorithms(), mac) }) {
		if err := sshpatch.Register(); err != nil {
			return ssh.Config{}, err
		}
	}
	return ssh.Config{MACs: macs, Ciphers: ciphers}, nil
}

// negotiated returns the MACs and the ciphers in use on a connection, in both
// directions where they differ.
func negotiated(conn ssh.Conn) (mac, cipher string) {
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
