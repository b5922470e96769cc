// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/dispatch"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Want:  "none",
		Short: "print the version and the kernels in use",
		Long: `Prints the version of the module, or the commit if it is not a release, the version of Go,
the platform, and for each package the implementation in use on this machine.`,
		Examples: []string{"unimac version"},
		New: func(c *cli.Call) func() int {
			return func() int {
				printVersion(c.Stdout)
				return cli.ExitOK
			}
		},
	}
}

func printVersion(w io.Writer) {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version // the commit, unless this is a release
	}
	fmt.Fprintf(w, "unimac %s\n%s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, pkg := range dispatch.Packages() {
		fmt.Fprintf(w, "%s: %s\n", pkg, dispatch.InUse(pkg))
	}
}
