// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"flag"
	"fmt"
	"strings"
)

// ManPage returns a manual page in the man macro language, with the -h text of each
// command.
func ManPage(root *Command) string {
	var b strings.Builder
	name := root.Name
	fmt.Fprintf(&b, ".\\\" Made by %s man: do not edit.\n", name)
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\nCOMMAND [ARGUMENT...]\n",
		strings.ToUpper(name), name, roff(root.Short), name)
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", roffText(root.Long))
	root.Walk(func(path []string, cmd *Command, flags *flag.FlagSet) {
		if cmd.New == nil {
			return
		}
		full := strings.Join(path, " ")
		fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(strings.Join(path[1:], " "))))
		for line := range strings.Lines(cmd.Args + "\n") {
			fmt.Fprintf(&b, ".B %s\n%s.PP\n", roff(full), roff(line))
		}
		b.WriteString(roffText(cmd.Long))
		flags.VisitAll(func(f *flag.Flag) {
			value, usage := flag.UnquoteUsage(f)
			if f.DefValue != "" && f.DefValue != "false" {
				usage += fmt.Sprintf(" (default %s)", f.DefValue)
			}
			fmt.Fprintf(&b, ".TP\n\\fB\\-%s\\fR %s\n%s\n", roff(f.Name), roff(value), roff(usage))
		})
		b.WriteString(".PP\nExamples:\n.PP\n.nf\n")
		for _, example := range cmd.Examples {
			fmt.Fprintf(&b, "    %s\n", roff(example))
		}
		b.WriteString(".fi\n")
	})
	return b.String()
}

// roff escapes a line of text for roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// roffText converts paragraphs to roff. Indented paragraphs are not filled.
func roffText(text string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		indented := strings.HasPrefix(paragraph, "\t")
		b.WriteString(".PP\n")
		if indented {
			b.WriteString(".nf\n")
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			b.WriteString(roff(strings.Replace(line, "\t", "    ", 1)) + "\n")
		}
		if indented {
			b.WriteString(".fi\n")
		}
	}
	return b.String()
}
