// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The command programs builds programs that people use, as they were released: once as
// they are, and once with the copy of x/crypto that "unimac vendor" makes. It lets both
// take turns at what their users do, and prints a table. With -test it runs the
// programs' own tests of what is concerned with the copy instead.
//
//	go -C internal/bench run ./programs [-rounds N] [-size BYTES] [-record] [-test] [NAME...]
//
// With -record, the processor's file in doc/speed gets what was measured.
//
// It downloads the programs' modules as the go command does. Measuring SSH needs OpenSSH's
// ssh, sftp and sshd. Its files lie below the directory that -dir names, which should be
// in memory.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/unimac/unimac/internal/bench/record"
)

// Flags.
var (
	rounds = flag.Int("rounds", 5, "how many times each takes its turn")
	size   = flag.Int64("size", 1<<30, "how many `bytes` to encrypt or to move")
	test   = flag.Bool("test", false, "run the programs' own tests with the copy, and measure nothing")
	build  = flag.Bool("build", false, "build, and measure nothing")
	keep   = flag.Bool("record", false, "write what was measured to the processor's file")
	folder = flag.String("dir", "/dev/shm", "where files are made")
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

func run(dir string, names []string) error {
	unimac := filepath.Join(dir, "unimac")
	if _, err := output(root, nil, "go", "build", "-o", unimac, "./cmd/unimac"); err != nil {
		return err
	}
	var rows []record.Program
	for _, p := range programs {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		m := &measurement{program: p, dir: filepath.Join(dir, p.name), unimac: unimac}
		if err := m.run(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		rows = append(rows, m.rows...)
		os.RemoveAll(m.dir)
	}
	print(rows)
	if !*keep || len(rows) == 0 {
		return nil
	}
	name, _ := record.Processor()
	r, err := record.Load(root, name)
	if err != nil {
		return err
	}
	r.Add(rows)
	if err := r.Save(root); err != nil {
		return err
	}
	return record.UpdatePages(root)
}

// root is the root of the repository.
const root = "../.."

func print(rows []record.Program) {
	for _, p := range rows {
		fmt.Printf("%s: %s: %s, with the copy %s, %.2f times as fast, %.2f with AVX2\n", p.Name, p.What, p.Plain, p.Vendored, p.Times(), p.TimesAVX2())
	}
}
