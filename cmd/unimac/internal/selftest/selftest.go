// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package selftest implements the "unimac selftest" command, which checks every
// implementation against known answers.
package selftest

import (
	"crypto/fips140"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// Command returns the selftest command.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "selftest",
		Want:  "none",
		Short: "check every implementation on this machine",
		Long: `Shows the processor features that kernels are built for, checks each implementation of
each package against known answers, and marks the implementation in use. With
GODEBUG=fips140=only, algorithms that the constructors refuse are "not allowed". The exit
status is 1 if an implementation gives a wrong answer.`,
		Examples: []string{"unimac selftest"},
		New:      newSelftest,
	}
}

func newSelftest(c *cli.Call) func() int {
	return func() int {
		w := tabwriter.NewWriter(c.Stdout, 0, 0, 3, ' ', 0)
		defer w.Flush()
		fmt.Fprintf(w, "%s/%s, %s\n\nFEATURE\tAVAILABLE\n", runtime.GOOS, runtime.GOARCH, runtime.Version())
		for _, l := range cpu.Levels() {
			fmt.Fprintf(w, "%s\t%t\n", l, l.Available())
		}
		fmt.Fprintf(w, "\nPACKAGE\tIMPLEMENTATION\tRESULT\tIN USE\n")
		status := cli.ExitOK
		vectors, packages, err := readVectors()
		if err != nil {
			return c.Errorf("%v", err)
		}
		for _, pkg := range packages {
			inUse := dispatch.InUse(pkg)
			for _, name := range dispatch.List(pkg) {
				result, err := checkWith(pkg, name, vectors[pkg], (*vector).check)
				if err != nil {
					status = c.Errorf("%s, %s: %v", pkg, name, err)
				}
				mark := ""
				if name == inUse {
					mark = "yes"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", pkg, name, result, mark)
			}
		}
		for _, pkg := range dispatch.Packages() {
			if len(vectors[pkg]) == 0 {
				status = c.Errorf("%s has implementations but no test", pkg)
			}
		}
		return status
	}
}

// checkWith checks the named implementation of package pkg against vectors and returns
// the text for the RESULT column. If that text is FAILED, err is the reason.
func checkWith(pkg, name string, vectors []*vector, check func(*vector) error) (result string, err error) {
	if !dispatch.Select(pkg, name) {
		return "not on this machine", nil
	}
	defer dispatch.Reset(pkg)
	refused := 0
	for _, v := range vectors {
		switch err := check(v); {
		case isRefusal(err):
			refused++
		case err != nil:
			return "FAILED", err
		}
	}
	switch refused {
	case 0:
		return "ok", nil
	case len(vectors):
		return "not allowed", nil
	}
	return "ok or not allowed", nil
}

// isRefusal reports whether err means that FIPS 140-only mode forbids an algorithm.
func isRefusal(err error) bool {
	return err != nil && fips140.Enforced() && strings.Contains(err.Error(), "not allowed in FIPS 140-only mode")
}
