// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/modcopy"
	"github.com/unimac/unimac/xcrypto"
)

func vendorCommand() *cli.Command {
	return &cli.Command{
		Name:  "vendor",
		Want:  "one directory",
		Args:  "[-n] [-ssh-window BYTES] [-ssh-buffer BYTES] DIR | -check DIR",
		Short: "copy golang.org/x/crypto, on unimac's kernels",
		Long: `Copies the version of golang.org/x/crypto that the module in the current directory requires to
DIR, which must be empty or missing. Prints the version, and the line for go.mod that makes
the module use the copy. The copy uses unimac's kernels on amd64 and arm64: chacha20,
chacha20poly1305, poly1305, nacl/secretbox, blake2b, argon2 and ssh get faster, and ssh
supports OpenSSH's UMAC. The copy does not import unimac.

	unimac vendor ./xcrypto
	go mod edit -replace=golang.org/x/crypto=./xcrypto
	go mod tidy

If the program has a vendor folder, run "go mod vendor" afterwards, too. If two modules of a
workspace use a copy, put one replace line into go.work instead of one into each go.mod.

Keep DIR under version control. After an update of golang.org/x/crypto in go.mod, remove DIR
and create it again, because the line hides the update. -check reports whether DIR is current
and whether go.mod uses it; if not, the exit status is 1. Run it in the program's CI.

Govulncheck does not report vulnerabilities of a module that such a line replaces
(golang/go#68254). It reports them in a separate workspace, where the module has the release
that was copied:

	export GOFLAGS=-mod=readonly
	version=$(go list -m -f '{{.Version}}' golang.org/x/crypto)
	folders=$(go list -m -f '{{.Dir}}')
	export GOWORK=$(mktemp -d)/go.work
	go work init $folders
	go work edit -replace=golang.org/x/crypto=golang.org/x/crypto@$version
	govulncheck -test ./...

If go.mod replaces x/crypto by a fork, the fork is copied, also whenever DIR is created again:
the file DIR.origin names the fork. Keep it under version control, too. If go.mod replaces
x/crypto by another version of it, this version is copied. Require it as well, because -check
compares the copy with the required version.`,
		Examples: []string{"unimac vendor ./xcrypto", "unimac vendor -check ./xcrypto"},
		New:      newVendor,
	}
}

func newVendor(c *cli.Call) func() int {
	var o xcrypto.Options
	plan := c.Flags.Bool("n", false, "print what would be done, but do not do it")
	check := c.Flags.Bool("check", false, "report whether DIR is up to date")
	c.Flags.IntVar(&o.SSHWindow, "ssh-window", 0, "how many `bytes` a peer may send on a channel before they are read, at most 67108864; it bounds a channel to one window for each round trip (default 2097152)")
	c.Flags.IntVar(&o.SSHBuffer, "ssh-buffer", 0, "the `bytes` of each of the two buffers under an SSH connection, at most 1048576 (default 4096)")
	return func() int {
		dir := c.Args[0]
		var result string
		var err error
		switch {
		case *check && (*plan || o != xcrypto.Options{}):
			return c.Usagef("-check takes no other flags, because a copy contains its sizes")
		case *check:
			err = xcrypto.Check(dir)
			origin, _ := modcopy.OriginOf(dir)
			result = fmt.Sprintf("%s: OK, a copy of %s", cli.Name(dir), cli.Visible(origin.String()))
		case *plan:
			var lines []string
			lines, err = o.Plan(dir)
			result = strings.Join(lines, "\n")
		default:
			result, err = o.Write(dir)
		}
		if err != nil { // omit the prefix, which would look like a directory
			return c.Errorf("%s", strings.TrimPrefix(err.Error(), "xcrypto: "))
		}
		fmt.Fprintln(c.Stdout, result)
		return cli.ExitOK
	}
}
