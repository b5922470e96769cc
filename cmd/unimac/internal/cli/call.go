// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	ExitOK      = 0
	ExitFailed  = 1 // such as a wrong tag or an unreadable file
	ExitUsage   = 2
	ExitDamaged = 3 // part of a damaged file was written
)

// A Call is one invocation of a command.
type Call struct {
	Path   string // names of the command and its parents, such as "unimac sum"
	Flags  *flag.FlagSet
	Args   []string // arguments that are not flags
	Stdin  io.Reader
	Stdout *Writer
	Stderr io.Writer

	cmd       *Command
	started   time.Time // time of the first call of Progress
	progress  bool      // the value of -progress
	stdinUsed bool
}

// Run runs the program with args (without its name) and returns the exit status.
func Run(root *Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &Writer{W: stdout}
	c := newCall(root, root.Name)
	c.Stdin, c.Stdout, c.Stderr = stdin, out, stderr
	status := c.dispatch(args)
	if out.Err != nil {
		c.Errorf("standard output: %s", Reason(out.Err))
		if status == ExitOK {
			status = ExitFailed
		}
	}
	return status
}

// Main runs the program with the process's arguments and exits.
func Main(root *Command) {
	catchEndings()
	os.Exit(Run(root, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func newCall(cmd *Command, path string) *Call {
	c := &Call{cmd: cmd, Path: path, Flags: flag.NewFlagSet(path, flag.ContinueOnError)}
	c.Flags.SetOutput(io.Discard)
	return c
}

// Duration defines a flag for a positive duration.
func (c *Call) Duration(name string, value time.Duration, usage string) *time.Duration {
	c.Flags.Func(name, fmt.Sprintf("%s (default %v)", usage, value), func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return errors.New("want a time above zero, such as 500ms or 30s")
		}
		value = d
		return nil
	})
	return &value
}

// dispatch runs c's command, or the subcommand named in args.
func (c *Call) dispatch(args []string) int {
	run := func() int { return c.descend() }
	if c.cmd.New != nil {
		run = c.cmd.New(c)
	}
	switch err := c.parse(args); {
	case errors.Is(err, flag.ErrHelp):
		c.usage(c.Stdout)
		return ExitOK
	case err != nil:
		name := strings.TrimLeft(args[0], "-")
		if (name == "version" || name == "v") && c.find("version") != nil { // accept -version and -v, as other programs do
			c.Args = []string{"version"}
			return c.descend()
		}
		return c.Usagef("%v", err)
	}
	switch want := c.cmd.Want; {
	case want == "none" && len(c.Args) == 0, want != "none" && len(c.Args) == 1, want == "":
		return run()
	case len(c.Args) == 1:
		return c.Usagef("1 argument, want %s", want)
	default:
		return c.Usagef("%d arguments, want %s", len(c.Args), want)
	}
}

// parse parses flags before, between and after the arguments, up to "--".
func (c *Call) parse(args []string) error {
	for c.Args = nil; ; {
		if err := c.Flags.Parse(args); err != nil {
			return err
		}
		rest := c.Flags.Args()
		taken := args[:len(args)-len(rest)]
		ended := len(taken) > 0 && taken[len(taken)-1] == "--"
		if ended || len(rest) == 0 || c.cmd.Sub != nil || c.cmd.Verbatim {
			c.Args = append(c.Args, rest...)
			return nil
		}
		c.Args = append(c.Args, rest[0])
		args = rest[1:]
	}
}

// descend runs the subcommand named in c.Args.
func (c *Call) descend() int {
	if len(c.Args) == 0 {
		c.usage(c.Stderr)
		return ExitUsage
	}
	name, rest := c.Args[0], c.Args[1:]
	if name == "help" {
		// "help ssh serve" means "ssh serve -h".
		return c.dispatch(append(rest[:len(rest):len(rest)], "-h"))
	}
	if sub := c.find(name); sub != nil {
		below := newCall(sub, c.Path+" "+name)
		below.Stdin, below.Stdout, below.Stderr = c.Stdin, c.Stdout, c.Stderr
		*c = *below // makes Run print errors with the subcommand's path
		return c.dispatch(rest)
	}
	for _, sub := range c.cmd.Sub {
		if slices.Contains(sub.Also, name) || strings.HasPrefix(sub.Name, name) || strings.HasPrefix(name, sub.Name) {
			return c.Usagef("no command %q; did you mean %q?", name, sub.Name)
		}
	}
	return c.Usagef("no command %q", name)
}

func (c *Call) find(name string) *Command {
	for _, sub := range c.cmd.Sub {
		if sub.Name == name {
			return sub
		}
	}
	return nil
}

// Errorf prints an error and returns ExitFailed. It escapes each line with [Visible].
func (c *Call) Errorf(format string, args ...any) int {
	lines := strings.Split(fmt.Sprintf(format, args...), "\n")
	for i, line := range lines {
		lines[i] = Visible(line)
	}
	fmt.Fprintf(c.Stderr, "%s: %s\n", c.Path, strings.Join(lines, "\n"))
	return ExitFailed
}

// Usagef prints a usage error and returns ExitUsage.
func (c *Call) Usagef(format string, args ...any) int {
	c.Errorf(format, args...)
	fmt.Fprintf(c.Stderr, "%s -h explains the usage.\n", c.Path)
	return ExitUsage
}

// A Writer writes to W until an error occurs. It keeps the error in Err, so that the
// program does not report success on a full disk.
type Writer struct {
	W       io.Writer
	Written int64 // in bytes
	Err     error
}

func (w *Writer) Write(p []byte) (int, error) {
	if w.Err != nil {
		return 0, w.Err
	}
	n, err := w.W.Write(p)
	w.Written += int64(n)
	w.Err = err
	return n, err
}
