// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// Completion returns a script for completing commands and flags in the given shell.
func Completion(root *Command, shell string) (string, error) {
	write, ok := map[string]func(b *strings.Builder, name string, nodes []completed){
		"bash": completeBash,
		"zsh":  completeZsh,
		"fish": completeFish,
	}[shell]
	if !ok {
		return "", fmt.Errorf("no completion for %q, want bash, zsh or fish", shell)
	}
	var nodes []completed
	root.Walk(func(path []string, cmd *Command, flags *flag.FlagSet) {
		n := completed{Command: cmd, path: slices.Clone(path)}
		flags.VisitAll(func(f *flag.Flag) { n.flags = append(n.flags, f) })
		nodes = append(nodes, n)
	})
	var b strings.Builder
	write(&b, root.Name, nodes)
	return b.String(), nil
}

// completed is a command with its path from the root and its flags.
type completed struct {
	*Command
	path  []string
	flags []*flag.Flag
}

func (n *completed) name() string { return strings.Join(n.path, " ") }

// commands returns the subcommand names and the argument values.
func (n *completed) commands() string {
	names := n.Values[""]
	for _, sub := range n.Sub {
		names = append(names, sub.Name)
	}
	return strings.Join(names, " ")
}

func (n *completed) flagNames() string {
	names := []string{"-h"}
	for _, f := range n.flags {
		names = append(names, "-"+f.Name)
	}
	return strings.Join(names, " ")
}

// valueCases writes the branches of a shell case statement that switches on the command
// and the previous word. Each branch offers the values of one flag.
func valueCases(b *strings.Builder, nodes []completed, format string) {
	for _, n := range nodes {
		for _, f := range n.flags {
			if values := n.Values[f.Name]; values != nil {
				fmt.Fprintf(b, "\t\"%[1]s -%[2]s\"|\"%[1]s --%[2]s\") "+format+" ;;\n", n.name(), f.Name, strings.Join(values, " "))
			}
		}
	}
}

// descents returns a shell case pattern for all commands below the root.
func descents(nodes []completed) string {
	var patterns []string
	for _, n := range nodes[1:] {
		patterns = append(patterns, fmt.Sprintf("%q", n.name()))
	}
	return strings.Join(patterns, "|")
}

// completeBash avoids mapfile, because macOS ships bash 3.2, which lacks it.
func completeBash(b *strings.Builder, name string, nodes []completed) {
	fmt.Fprintf(b, `# Completion of %[1]s for bash, made by %[1]s completion bash.
_%[1]s() {
	local at=%[1]s commands= flags= i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "$at ${COMP_WORDS[i]}" in
		%[2]s) at="$at ${COMP_WORDS[i]}" ;;
		esac
	done
	case $at in
`, name, descents(nodes))
	for _, n := range nodes {
		fmt.Fprintf(b, "\t%q) commands=%q flags=%q ;;\n", n.name(), n.commands(), n.flagNames())
	}
	b.WriteString(`	esac
	local word=${COMP_WORDS[COMP_CWORD]} words=$commands reply
	if [[ $word == -* ]]; then words=$flags; fi
	case "$at ${COMP_WORDS[COMP_CWORD - 1]}" in
`)
	valueCases(b, nodes, "words=%[3]q")
	fmt.Fprintf(b, `	esac
	COMPREPLY=()
	while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(
		if [ -n "$words" ]; then compgen -W "$words" -- "$word"; else compgen -f -- "$word"; fi
	)
}
complete -o filenames -F _%[1]s %[1]s
`, name)
}

func completeZsh(b *strings.Builder, name string, nodes []completed) {
	fmt.Fprintf(b, `#compdef %[1]s
# Completion of %[1]s for zsh, made by %[1]s completion zsh.
_%[1]s() {
	local at=%[1]s word
	local -a commands flags
	for word in "${words[@]:1:$((CURRENT - 2))}"; do
		case "$at $word" in
		%[2]s) at="$at $word" ;;
		esac
	done
	case $at in
`, name, descents(nodes))
	for _, n := range nodes {
		fmt.Fprintf(b, "\t%q)\n\t\tcommands=(", n.name())
		for _, sub := range n.Sub {
			fmt.Fprintf(b, "%s ", Quote(sub.Name+":"+sub.Short))
		}
		b.WriteString(strings.Join(n.Values[""], " "))
		b.WriteString(")\n\t\tflags=('-h:explain the usage' ")
		for _, f := range n.flags {
			_, usage := flag.UnquoteUsage(f)
			fmt.Fprintf(b, "%s ", Quote("-"+f.Name+":"+usage))
		}
		b.WriteString(")\n\t\t;;\n")
	}
	b.WriteString("\tesac\n\tcase \"$at ${words[CURRENT - 1]}\" in\n")
	valueCases(b, nodes, "compadd -- %[3]s; return")
	fmt.Fprintf(b, `	esac
	if [[ $PREFIX == -* ]]; then
		_describe flag flags
	elif (( $#commands )); then
		_describe command commands
	else
		_files
	fi
}
if [ "${funcstack[1]}" = _%[1]s ]; then
	_%[1]s "$@"
else
	compdef _%[1]s %[1]s
fi
`, name)
}

func completeFish(b *strings.Builder, name string, nodes []completed) {
	fmt.Fprintf(b, "# Completion of %[1]s for fish, made by %[1]s completion fish.\n", name)
	for _, n := range nodes {
		here := "__fish_use_subcommand"
		if len(n.path) > 1 {
			here = "__fish_seen_subcommand_from " + strings.Join(n.path[1:], "; and __fish_seen_subcommand_from ")
		}
		for _, sub := range n.Sub {
			condition := here
			if len(n.path) > 1 {
				condition += "; and not __fish_seen_subcommand_from " + n.commands()
			}
			fmt.Fprintf(b, "complete -c %s -f -n %s -a %s -d %s\n", name, Quote(condition), sub.Name, fishQuote(sub.Short))
		}
		if arguments := n.Values[""]; arguments != nil {
			fmt.Fprintf(b, "complete -c %s -f -n %s -a %s\n", name, Quote(here), fishQuote(strings.Join(arguments, " ")))
		}
		for _, f := range n.flags {
			_, usage := flag.UnquoteUsage(f)
			value := " -r"
			switch values := n.Values[f.Name]; {
			case isBool(f):
				value = ""
			case values != nil:
				value = " -r -f -a " + fishQuote(strings.Join(values, " "))
			}
			fmt.Fprintf(b, "complete -c %s -n %s -o %s%s -d %s\n", name, Quote(here), f.Name, value, fishQuote(usage))
		}
	}
}

func fishQuote(word string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(word) + "'"
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
