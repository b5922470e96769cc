// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The command programs builds programs twice: as released, and with the copy of
// x/crypto that "unimac vendor" writes. It runs the two builds in turn, doing what the
// program's users do, and prints the times. With -test, it runs the programs' own tests
// with the copy instead.
//
//	go -C internal/bench run ./programs [-rounds N] [-size BYTES] [-record] [NAME...]
//	go -C internal/bench run ./programs -test [-quick] [-record] [NAME...]
//
// With -record, it writes the results to the processor's file in doc/speed and to the
// pages that show them.
//
// The go command downloads the programs' modules. Measuring SSH needs OpenSSH's ssh,
// sftp and sshd. All files are below the directory that -dir names, which should be in
// memory.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/unimac/unimac/internal/bench/record"
)

var (
	rounds = flag.Int("rounds", 5, "measure `N` turns of each build")
	size   = flag.Int64("size", 1<<30, "encrypt or transfer a file of this many `bytes`")
	test   = flag.Bool("test", false, "run the programs' own tests with the copy, and measure nothing")
	quick  = flag.Bool("quick", false, "with -test, run only the programs that CI runs")
	build  = flag.Bool("build", false, "build the programs, and measure nothing")
	keep   = flag.Bool("record", false, "write the results to the processor's file and the pages")
	folder = flag.String("dir", "/dev/shm", "create files in the directory `DIR`")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	dir, err := os.MkdirTemp(*folder, "programs-")
	if err != nil {
		log.Fatal(err)
	}
	err = run(dir, flag.Args())
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
}

// run measures or tests the named programs, or all programs that the flags select. It
// continues after a program whose tests fail, so that the table gets the other results.
func run(dir string, names []string) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	unimac := filepath.Join(dir, "unimac")
	if _, err := output(root, nil, "go", "build", "-o", unimac, "./cmd/unimac"); err != nil {
		return err
	}
	var rows []record.Program
	var results []record.Tested
	var failed error
	for _, p := range chosen {
		m := &measurement{program: p, dir: filepath.Join(dir, p.name), unimac: unimac}
		err := m.run()
		if err != nil {
			err = fmt.Errorf("%s: %w", p.name, err)
		}
		if err != nil && !*test {
			return err
		}
		failed = errors.Join(failed, err)
		rows, results = append(rows, m.rows...), append(results, m.results...)
		os.RemoveAll(m.dir)
	}
	print(rows, results)
	if !*keep || len(rows)+len(results) == 0 {
		return failed
	}
	return errors.Join(failed, save(rows, results))
}

func choose(names []string) (chosen []program, err error) {
	for _, p := range programs {
		selected := len(p.works) > 0
		if *test {
			selected = len(p.test) > 0 && (p.quick || !*quick)
		}
		if len(names) > 0 {
			selected = slices.Contains(names, p.name)
		}
		if selected {
			chosen = append(chosen, p)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(chosen, func(p program) bool { return p.name == name }) {
			return nil, fmt.Errorf("unknown program %q", name)
		}
	}
	return chosen, nil
}

func save(rows []record.Program, results []record.Tested) error {
	name, _ := record.Processor()
	r, err := record.Load(root, name)
	if err != nil {
		return err
	}
	r.Add(rows)
	r.AddTested(results)
	if err := r.Save(root); err != nil {
		return err
	}
	return record.UpdatePages(root)
}

const root = "../.."

func print(rows []record.Program, results []record.Tested) {
	for _, p := range rows {
		fmt.Printf("%s: %s: %s, with the copy %s, %.2f times as fast, %.2f with AVX2\n", p.Name, p.What, p.Plain, p.Vendored, p.Times(), p.TimesAVX2())
	}
	for _, t := range results {
		fmt.Printf("%s: %d tests pass with the copy of x/crypto %s, %d are skipped\n", t.Module, t.Passed, t.XCrypto, t.Skipped)
	}
}
