// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// mayBeLate reports whether arguments after the flags can be meant as flags. After
// "--", none is.
func (c *Call) mayBeLate(args []string) bool {
	return c.cmd.New != nil && !c.cmd.Verbatim && !slices.Contains(args, "--")
}

// lateHelp reports whether one of the arguments after the flags asks for the usage.
func (c *Call) lateHelp(args []string) bool {
	return c.mayBeLate(args) && slices.ContainsFunc(c.Args, func(arg string) bool {
		return slices.Contains([]string{"-h", "--h", "-help", "--help"}, arg)
	})
}

// lateFlag returns an error that says what to write if one of the arguments after
// the flags is a flag, too.
func (c *Call) lateFlag(args []string) error {
	if !c.mayBeLate(args) {
		return nil
	}
	var late string
	flags := slices.Clone(args[:len(args)-len(c.Args)])
	var rest []string
	for i := 0; i < len(c.Args); i++ {
		arg := c.Args[i]
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		f := c.Flags.Lookup(name)
		if f == nil || arg == name || len(arg)-len(strings.TrimLeft(arg, "-")) > 2 {
			rest = append(rest, arg)
			continue
		}
		if late == "" {
			late = arg
		}
		flags = append(flags, arg)
		if !hasValue && !isBool(f) && i+1 < len(c.Args) {
			i++
			flags = append(flags, c.Args[i])
		}
	}
	if late == "" {
		return nil
	}
	words := append(flags, rest...)
	for i, word := range words {
		words[i] = Quote(word)
	}
	return fmt.Errorf("flag %s comes after %q, and flags come first:\n    %s %s", late, c.Args[0], c.Path, strings.Join(words, " "))
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// nearest returns the subcommand that a name is nearly, or "".
func (c *Call) nearest(name string) string {
	best, most := "", max(1, len(name)/3)
	for _, sub := range c.cmd.Sub {
		if slices.Contains(sub.Also, name) {
			return sub.Name
		}
		d := distance(name, sub.Name)
		if strings.HasPrefix(sub.Name, name) && len(name) > 1 {
			d = min(d, 1)
		}
		if d <= most {
			best, most = sub.Name, d-1
		}
	}
	return best
}

// nearestFlag returns the flag that an undefined one is nearly, or whose name is its first
// letter, or "".
func (c *Call) nearestFlag(err error) (best string) {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return ""
	}
	most := len(name) / 3
	c.Flags.VisitAll(func(f *flag.Flag) {
		if d := distance(name, f.Name); d <= most {
			best, most = f.Name, d-1
		} else if best == "" && f.Name == name[:1] {
			best = f.Name
		}
	})
	return best
}

// distance returns how many letters have to be added, removed, replaced or
// swapped with the next to make one word of another.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
