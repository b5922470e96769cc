// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cli contains code shared by unimac's commands: the command tree and its
// dispatch, input files and file names, terminals, and output files that appear only
// when complete.
package cli

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A Command is a node of the command tree. Exactly one of New and Sub must be set.
type Command struct {
	Name  string
	Args  string // arguments in the usage text, with one line per form
	Short string // one-line description for the list of commands
	Long  string // description printed by -h between the usage lines and the flags

	// Also lists other names that users may try. The error then suggests Name.
	Also []string

	// Want is "none" or describes the single argument that the command requires, such
	// as "one key file". If Want is empty, the command checks its arguments itself.
	Want string

	// Values maps flag names to the values that shell completion offers. Values[""]
	// holds the values offered for positional arguments.
	Values map[string][]string

	// Verbatim stops flag parsing at the first non-flag argument. Set it if later
	// arguments belong to another command.
	Verbatim bool

	// Examples lists command lines in shell syntax.
	Examples []string

	// New defines the command's flags in c.Flags. After flag parsing, run executes the
	// command and returns its exit status.
	New func(c *Call) (run func() int)
	Sub []*Command
}

// Walk calls visit for cmd and every command below it. path holds the names of the
// commands from the root to the visited one. ancestors is for Walk's recursion only, so
// callers must not pass it.
func (cmd *Command) Walk(visit func(path []string, cmd *Command, flags *flag.FlagSet), ancestors ...string) {
	path := append(ancestors[:len(ancestors):len(ancestors)], cmd.Name)
	c := newCall(cmd, strings.Join(path, " "))
	if cmd.New != nil {
		cmd.New(c)
	}
	visit(path, cmd, c.Flags)
	for _, sub := range cmd.Sub {
		sub.Walk(visit, path...)
	}
}

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
	var flags strings.Builder
	c.Flags.SetOutput(&flags)
	c.Flags.PrintDefaults()
	if flags.Len() > 0 {
		fmt.Fprintf(w, "\nFlags:\n%s", &flags)
	}
	fmt.Fprint(w, "\nExamples:\n\n")
	for _, example := range c.cmd.Examples {
		fmt.Fprintf(w, "\t%s\n", example)
	}
}
