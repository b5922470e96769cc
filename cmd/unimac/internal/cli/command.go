// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cli is what the commands of unimac stand on: the tree of commands and
// how one is called, files and names of files, terminals, and results that appear
// whole or not at all.
package cli

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A Command is a subcommand: either New or Sub is set.
type Command struct {
	Name  string
	Args  string // what follows the name in a usage line, or in several
	Short string // a line for the list of commands
	Long  string // what -h prints between the usage line and the flags

	// Also are other names that people try, for which Name is offered.
	Also []string

	// Want is how many arguments there have to be, "none" or "one" of something, or "" where
	// that is not all there is to it.
	Want string

	// Values are what a flag of a name takes, if it is one of some words, and under ""
	// what the arguments are, for shells to complete.
	Values map[string][]string

	// Verbatim says that arguments after the first that is no flag are another's,
	// and may look like flags.
	Verbatim bool

	// Examples are command lines, as a shell takes them.
	Examples []string

	// New defines the flags in c.Flags. What it returns runs the command after
	// they were parsed, and returns the exit status.
	New func(c *Call) (run func() int)
	Sub []*Command
}

// Walk calls visit for a command and all below it, with the names that lead to
// each and the flags that it has.
func (cmd *Command) Walk(visit func(path []string, cmd *Command, flags *flag.FlagSet)) {
	cmd.walk(nil, visit)
}

func (cmd *Command) walk(above []string, visit func(path []string, cmd *Command, flags *flag.FlagSet)) {
	path := append(above[:len(above):len(above)], cmd.Name)
	c := newCall(cmd, strings.Join(path, " "))
	if cmd.New != nil {
		cmd.New(c)
	}
	visit(path, cmd, c.Flags)
	for _, sub := range cmd.Sub {
		sub.walk(path, visit)
	}
}

// usage prints what -h prints.
func (c *Call) usage(w io.Writer) {
	args := c.cmd.Args
	if c.cmd.Sub != nil {
		args = "COMMAND [ARGUMENT…]"
	}
	before := "Usage: "
	for line := range strings.Lines(args + "\n") {
		fmt.Fprintf(w, "%s%s\n", before, strings.TrimSpace(c.Path+" "+line))
		before = "       "
	}
	fmt.Fprintf(w, "\n%s\n", c.cmd.Long)
	if c.cmd.Sub != nil {
		fmt.Fprint(w, "\nCommands:\n")
		tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
		for _, sub := range c.cmd.Sub {
			fmt.Fprintf(tw, "  %s\t%s\n", sub.Name, sub.Short)
		}
		tw.Flush()
		fmt.Fprintf(w, "\n%s COMMAND -h explains a command.\n", c.Path)
	}
	hasFlags := false
	c.Flags.VisitAll(func(*flag.Flag) { hasFlags = true })
	if hasFlags {
		fmt.Fprint(w, "\nFlags:\n")
		c.Flags.SetOutput(w)
		c.Flags.PrintDefaults()
		c.Flags.SetOutput(io.Discard)
	}
	fmt.Fprint(w, "\nExamples:\n\n")
	for _, example := range c.cmd.Examples {
		fmt.Fprintf(w, "\t%s\n", example)
	}
}
