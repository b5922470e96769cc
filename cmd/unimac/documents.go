// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"io"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:   "completion",
		Want:   "one shell",
		Args:   "bash|zsh|fish",
		Values: map[string][]string{"": {"bash", "zsh", "fish"}},
		Short:  "print a shell completion script",
		Long:   `Prints a script with which bash, zsh or fish completes the commands and flags of unimac.`,
		Examples: []string{
			"unimac completion bash >~/.local/share/bash-completion/completions/unimac",
			"unimac completion zsh >~/.zfunc/_unimac",
			"unimac completion fish >~/.config/fish/completions/unimac.fish",
		},
		New: func(c *cli.Call) func() int {
			return func() int {
				script, err := cli.Completion(root(), c.Args[0])
				if err != nil {
					return c.Usagef("%v", err)
				}
				io.WriteString(c.Stdout, script)
				return cli.ExitOK
			}
		},
	}
}

func manCommand() *cli.Command {
	return &cli.Command{
		Name:     "man",
		Want:     "none",
		Short:    "print the manual page",
		Long:     `Prints the manual page, which contains the help of each command.`,
		Examples: []string{"unimac man | man -l -", "unimac man >/usr/local/share/man/man1/unimac.1"},
		New: func(c *cli.Call) func() int {
			return func() int {
				io.WriteString(c.Stdout, cli.ManPage(root()))
				return cli.ExitOK
			}
		},
	}
}
