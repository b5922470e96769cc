// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package selftest is the command unimac selftest: known answers for every
// implementation of every package.
package selftest

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"text/tabwriter"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

// A selfTest checks a package against answers that are known. It runs once for
// each implementation that the package registered with internal/impl, with that
// one on.
type selfTest struct {
	pkg string
	run func() error
}

// selfTests lists every package that computes, those with one implementation
// included.
var selfTests = []selfTest{
	{"umac", testUMAC},
	{"poly1305", testPoly1305},
	{"multimixer", testMultimixer},
	{"blake2b", testBLAKE2b},
	{"chacha20", testChaCha20},
	{"chacha20poly1305", testChaCha20Poly1305},
	{"aegis", testAEGIS},
	{"multimac", testMultiMAC},
	{"aead", testAEAD},
	{"chacha20blake2b", testAEAD}, // it works for aead alone
	{"stream", testStream},
}

// Command returns the command.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "selftest",
		Short: "check every implementation on this machine",
		Long: `Shows the features of the processor that kernels are built for, and checks each
implementation of each package against answers that are known. It marks the one
that is in use. The exit status is 1 if an implementation gives a wrong answer.`,
		Examples: []string{"unimac selftest"},
		New:      newSelftest,
	}
}

func newSelftest(c *cli.Call) func() int {
	return func() int {
		if len(c.Args) > 0 {
			return c.WrongArguments("none")
		}
		w := tabwriter.NewWriter(c.Stdout, 0, 0, 3, ' ', 0)
		defer w.Flush()
		fmt.Fprintf(w, "%s/%s, %s\n\nFEATURE\tAVAILABLE\n", runtime.GOOS, runtime.GOARCH, runtime.Version())
		for _, l := range cpu.Levels() {
			fmt.Fprintf(w, "%s\t%s\n", l, yesNo(l.Available()))
		}
		fmt.Fprintf(w, "\nPACKAGE\tIMPLEMENTATION\tRESULT\tIN USE\n")
		status := cli.ExitOK
		for _, test := range selfTests {
			inUse := impl.InUse(test.pkg)
			for _, name := range impl.List(test.pkg) {
				result, err := test.with(name)
				if err != nil {
					status = c.Errorf("%s, %s: %v", test.pkg, name, err)
				}
				mark := ""
				if name == inUse {
					mark = "yes"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", test.pkg, name, result, mark)
			}
		}
		for _, pkg := range impl.Packages() {
			if !slices.ContainsFunc(selfTests, func(t selfTest) bool { return t.pkg == pkg }) {
				status = c.Errorf("%s has implementations and no test", pkg)
			}
		}
		return status
	}
}

// with runs the test with one implementation on.
func (t *selfTest) with(name string) (result string, err error) {
	if !impl.Select(t.pkg, name) {
		return "not on this machine", nil
	}
	defer impl.Reset(t.pkg)
	if err := t.run(); err != nil {
		return "FAILED", err
	}
	return "ok", nil
}

var errWrongAnswer = errors.New("wrong answer")

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
