// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/sshpatch"
)

func vendorCommand() *cli.Command {
	return &cli.Command{
		Name:  "vendor",
		Args:  "DIR",
		Short: "write a copy of golang.org/x/crypto that has UMAC",
		Long: `Writes a copy of golang.org/x/crypto to DIR, which must be empty or missing, with
one file added that registers the four UMACs, and prints the line for go.mod that
makes the module in the current directory use it. The copy is of the version
that this module requires.`,
		New: func(c *cli.Call) func() int { return func() int { return vendor(c) } },
	}
}

func vendor(c *cli.Call) int {
	if len(c.Args) != 1 {
		return c.Usagef("%d arguments, want one directory", len(c.Args))
	}
	if err := sshpatch.Vendor(c.Args[0]); err != nil {
		return c.Errorf("%v", err)
	}
	return cli.ExitOK
}
