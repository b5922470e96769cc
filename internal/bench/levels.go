// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/unimac/unimac/internal/bench/goals"
	"github.com/unimac/unimac/internal/bench/peer/ipsecmb"
	"github.com/unimac/unimac/internal/speed"
)

// A level is a processor that has less. Goals are measured as on such a one in a process of its own,
// because everyone chooses kernels when a process starts.
type level struct {
	name        string
	environment []string // what Go, OpenSSL and intel-ipsec-mb are told
}

// OPENSSL_ia32cap takes bits away from what CPUID's leaves 1 and 7 have: AVX-512 and the wide forms
// of AES, then FMA, XOP, AVX, BMI, AVX2 and SHA as well.
var levels = []level{
	{"AVX2 alone", []string{"GODEBUG=cpu.avx512f=off", "OPENSSL_ia32cap=:~0x600d0230000", ipsecmb.Architecture + "=AVX2"}},
	{"SSE4.1", []string{"GODEBUG=cpu.avx512f=off,cpu.avx2=off", "OPENSSL_ia32cap=~0x1000180000000000:~0x600f0230128", ipsecmb.Architecture + "=SSE"}},
}

// fullWidth are peers that have no switch, and use all that the processor has. Nettle's assembly for
// UMAC has nothing beyond SSE2 and AES-NI.
var fullWidth = map[string]bool{"libsodium": true, "crate": true}

// A levelRatio is what one process tells another of a goal.
type levelRatio struct {
	Goal int // in the list of all
	Cell string
}

// writeLevel writes what goals came to.
func writeLevel(w io.Writer, numbers []int, results []goals.Result) error {
	for i, r := range results {
		cell := "not measured"
		if r.Missing == nil {
			cell = r.Ratio.Format(r.Measured)
		}
		if r.Missing == nil && fullWidth[r.Peer] {
			cell += ", theirs at full width"
		}
		if err := json.NewEncoder(w).Encode(levelRatio{numbers[i], cell}); err != nil {
			return err
		}
	}
	return nil
}

// measureLevel has a program, which is this one, measure goals at a level, and returns their
// cells by their numbers.
func measureLevel(program string, l level, only string, quick bool, stderr io.Writer) (map[int]string, error) {
	out, err := atLevel(program, l, stderr, "-goals", "-cells", fmt.Sprintf("-quick=%t", quick), "-run", only)
	if err != nil {
		return nil, err
	}
	cells := map[int]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var r levelRatio
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		cells[r.Goal] = r.Cell
	}
	return cells, nil
}

// atLevel runs a program, which is this one, as on a processor that has less.
func atLevel(program string, l level, stderr io.Writer, args ...string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), l.environment...), stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	return out, nil
}

// addAVX2 has a program, which is this one, measure a contest with AVX2 alone, and adds what ours
// came to.
func addAVX2(program string, quick bool, c *speed.Contest, stderr io.Writer) error {
	out, err := atLevel(program, levels[0], stderr, "-cells", fmt.Sprintf("-quick=%t", quick), "-run", "^"+c.Name+"$")
	if err != nil {
		return err
	}
	var lower []speed.Contest
	if err := json.Unmarshal(out, &lower); err != nil {
		return fmt.Errorf("%s: %w", levels[0].name, err)
	}
	c.AddLevel(&lower[0], "-avx2", ", AVX2")
	return nil
}

// levelColumns returns the header and a cell for each goal, for each level.
func levelColumns(o *options, numbers []int, stderr io.Writer) (columns [][]string, err error) {
	if !o.levels || runtime.GOARCH != "amd64" {
		return nil, nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	only := ""
	if o.only != nil {
		only = o.only.String()
	}
	for _, l := range levels {
		fmt.Fprintf(stderr, "%s:\n", l.name)
		cells, err := measureLevel(program, l, only, o.quick, stderr)
		if err != nil {
			return nil, err
		}
		column := []string{l.name}
		for _, n := range numbers {
			column = append(column, cells[n])
		}
		columns = append(columns, column)
	}
	return columns, nil
}
