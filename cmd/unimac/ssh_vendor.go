// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import "github.com/unimac/unimac/sshpatch"

func vendorCommand() *command {
	return &command{
		name:  "vendor",
		args:  "DIR",
		short: "write a copy of golang.org/x/crypto that has UMAC",
		long: `Writes a copy of golang.org/x/crypto to DIR, which must be empty or missing, with
one file added that registers the four UMACs, and prints the line for go.mod that
makes the module in the current directory use it. The copy is of the version
that this module requires.`,
		run: func(c *call) int {
			if status, done := c.parse(); done {
				return status
			}
			if len(c.args) != 1 {
				return c.usagef("%d arguments, want one directory", len(c.args))
			}
			if err := sshpatch.Vendor(c.args[0]); err != nil {
				return c.errorf("%v", err)
			}
			return exitOK
		},
	}
}
