// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Command unimac authenticates files and SSH connections with this module's message
// authentication codes, and encrypts files. Run "unimac -h" for a list of commands.
package main

import (
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/selftest"
	"github.com/unimac/unimac/cmd/unimac/internal/sshcmd"
)

func root() *cli.Command {
	return &cli.Command{
		Name:  "unimac",
		Short: "authenticate files and SSH connections, and encrypt files",
		Long:  "Unimac authenticates files and SSH connections, and encrypts files.",
		Examples: []string{
			"unimac demo",
			"unimac keygen key",
			"unimac help ssh serve",
		},
		Sub: []*cli.Command{
			demoCommand(),
			keygenCommand(),
			sumCommand(),
			checkCommand(),
			sealCommand(),
			openCommand(),
			selftest.Command(),
			benchCommand(),
			sshcmd.Command(),
			vendorCommand(),
			versionCommand(),
			completionCommand(),
			manCommand(),
		},
	}
}

func main() {
	cli.Main(root())
}
