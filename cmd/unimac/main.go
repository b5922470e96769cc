// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Command unimac authenticates files and SSH connections with this module's
// message authentication codes, and encrypts files. Run it with -h for what it does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// The exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // a tag is wrong, a file unreadable, something did not work
	exitUsage  = 2
)

// A command is a subcommand: either run or sub is set.
type command struct {
	name  string
	args  string // what follows the name in a usage line
	short string // a line for the list of commands
	long  string // what -h prints between the usage line and the flags
	run   func(c *call) int
	sub   []*command
}

// root returns the tree of commands.
func root() *command {
	return &command{
		name: "unimac",
		long: "Unimac authenticates files and SSH connections, and encrypts files.",
		sub: []*command{
			demoCommand(),
			keygenCommand(),
			sumCommand(),
			checkCommand(),
			sealCommand(),
			openCommand(),
			selftestCommand(),
			benchCommand(),
			sshCommand(),
		},
	}
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program: it takes the arguments after the program's name and
// returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &checkedWriter{w: stdout}
	c := &call{stdin: stdin, stdout: out, stderr: stderr}
	status := c.dispatch(root(), "", args)
	if out.err != nil {
		c.errorf("standard output: %s", reason(out.err))
		if status == exitOK {
			status = exitFailed
		}
	}
	return status
}

// A call is one run of a command.
type call struct {
	path   string // "unimac sum"
	cmd    *command
	flags  *flag.FlagSet
	args   []string // as given; after parse, those that are no flags
	stdin  io.Reader
	stdout *checkedWriter
	stderr io.Writer
}

// dispatch finds the command that args begin with, below cmd, and runs it.
func (c *call) dispatch(cmd *command, above string, args []string) int {
	c.cmd, c.path, c.args = cmd, strings.TrimPrefix(above+" "+cmd.name, " "), args
	c.flags = flag.NewFlagSet(c.path, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	if cmd.run != nil {
		return cmd.run(c)
	}
	if status, done := c.parse(); done {
		return status
	}
	if len(c.args) == 0 {
		c.usage(c.stderr)
		return exitUsage
	}
	name, rest := c.args[0], c.args[1:]
	if name == "help" {
		// "help ssh serve" is "ssh serve -h".
		return c.dispatch(cmd, above, append(append([]string(nil), rest...), "-h"))
	}
	for _, sub := range cmd.sub {
		if sub.name == name {
			return c.dispatch(sub, c.path, rest)
		}
	}
	return c.usagef("no command %q", name)
}

// parse reads the flags, which the command has defined, and leaves the other
// arguments in c.args. If it reports done, the command ends with that status.
func (c *call) parse() (status int, done bool) {
	err := c.flags.Parse(c.args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.usage(c.stdout)
		return exitOK, true
	case err != nil:
		return c.usagef("%v", err), true
	}
	c.args = c.flags.Args()
	return exitOK, false
}

// usage prints what -h prints.
func (c *call) usage(w io.Writer) {
	args := c.cmd.args
	if c.cmd.sub != nil {
		args = "COMMAND [ARGUMENT…]"
	}
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", strings.TrimSpace(c.path+" "+args), c.cmd.long)
	if c.cmd.sub != nil {
		fmt.Fprint(w, "\nCommands:\n")
		tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
		for _, sub := range c.cmd.sub {
			fmt.Fprintf(tw, "  %s\t%s\n", sub.name, sub.short)
		}
		tw.Flush()
		fmt.Fprintf(w, "\n%s COMMAND -h explains a command.\n", c.path)
		return
	}
	hasFlags := false
	c.flags.VisitAll(func(*flag.Flag) { hasFlags = true })
	if hasFlags {
		fmt.Fprint(w, "\nFlags, which come before other arguments:\n")
		c.flags.SetOutput(w)
		c.flags.PrintDefaults()
		c.flags.SetOutput(io.Discard)
	}
}

// errorf prints an error.
func (c *call) errorf(format string, args ...any) int {
	fmt.Fprintf(c.stderr, "%s: %s\n", c.path, fmt.Sprintf(format, args...))
	return exitFailed
}

// usagef prints what is wrong with the arguments.
func (c *call) usagef(format string, args ...any) int {
	c.errorf(format, args...)
	fmt.Fprintf(c.stderr, "%s -h explains the usage.\n", c.path)
	return exitUsage
}

// checkedWriter keeps the first error of a writer, so that a full disk does not
// pass for success.
type checkedWriter struct {
	w       io.Writer
	written int64 // bytes
	err     error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(p)
	w.written += int64(n)
	w.err = err
	return n, err
}
