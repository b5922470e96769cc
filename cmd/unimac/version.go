// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/impl"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Short: "print the version, and the kernels in use",
		Long: `Prints the version of the module, the commit if the build knows it, the version of Go
and the platform, and for each package the implementation that is in use here.`,
		Examples: []string{"unimac version"},
		New: func(c *cli.Call) func() int {
			return func() int {
				if len(c.Args) > 0 {
					return c.WrongArguments("none")
				}
				info, _ := debug.ReadBuildInfo()
				printVersion(c.Stdout, info)
				return cli.ExitOK
			}
		},
	}
}

func printVersion(w io.Writer, info *debug.BuildInfo) {
	version, commit := buildVersion(info)
	fmt.Fprintf(w, "unimac %s\n", version)
	if commit != "" {
		fmt.Fprintf(w, "commit %s\n", commit)
	}
	fmt.Fprintf(w, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, pkg := range impl.Packages() {
		fmt.Fprintf(w, "%s: %s\n", pkg, impl.InUse(pkg))
	}
}

// buildVersion returns the version of the module and the commit, as far as a build
// knows them.
func buildVersion(info *debug.BuildInfo) (version, commit string) {
	if info == nil || info.Main.Version == "" {
		return "(unknown)", ""
	}
	var parts []string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" || s.Key == "vcs.time":
			parts = append(parts, s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			parts = append(parts, "modified")
		}
	}
	return info.Main.Version, strings.Join(parts, ", ")
}
