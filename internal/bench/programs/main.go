// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The command programs builds programs that people use, as they were released: once as
// they are, and once with the copy of x/crypto that "unimac vendor" makes. It lets both
// take turns at what their users do, and prints a table. With -test it runs the
// programs' own tests of what is concerned with the copy instead.
//
//	go -C internal/bench run ./programs [-rounds N] [-size BYTES] [-record] [-test] [NAME...]
//
// With -record, doc/record.json gets what was measured.
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
	"time"

	"github.com/unimac/unimac/internal/bench/record"
)

// A program is measured.
type program struct {
	name        string
	module      string // with its version
	vendorFlags []string
	test        []string // packages of its own whose tests are run with the copy
	skip        string   // tests, by name, that need more than the go command
	measure     func(m *measurement) error
}

var programs = []program{
	{
		name: "age", module: "filippo.io/age@v1.3.2",
		test: []string{"./..."}, measure: measureAge,
	},
	{
		name: "wireguard-go", module: "golang.zx2c4.com/wireguard@v0.0.0-20260522210424-ecfc5a8d5446",
		test: []string{"./device", "./replay", "./ratelimiter"}, measure: measureWireGuard,
	},
	{name: "packets", measure: measurePackets},
	{
		name: "go-sftp-server", module: "github.com/pkg/sftp@v1.13.12",
		test: []string{"."}, measure: measureSFTPServer,
	},
	{
		name: "kopia", module: "github.com/kopia/kopia@v0.21.1",
		test: []string{"./repo/hashing", "./repo/encryption"}, measure: measureKopia,
	},
	{
		name: "rclone", module: "github.com/rclone/rclone@v1.76.0",
		vendorFlags: []string{"-ssh-window=32M", "-ssh-buffer=256K"},
		// The last starts a server, and lets the backend move files to and from it. What
		// is skipped does so with servers in containers.
		test: []string{"./backend/crypt/...", "./backend/sftp", "./cmd/serve/sftp"}, skip: "^TestIntegration",
		measure: measureRclone,
	},
	{
		name: "saltpack", module: "github.com/keybase/saltpack@v0.0.0-20260909171118-5bef7952e563",
		test: []string{"./..."}, measure: measureSaltpack,
	},
}

// Flags.
var (
	rounds = flag.Int("rounds", 5, "how many times each takes its turn")
	size   = flag.Int64("size", 1<<30, "how many `bytes` to encrypt or to move")
	test   = flag.Bool("test", false, "run the programs' own tests with the copy, and measure nothing")
	build  = flag.Bool("build", false, "build, and measure nothing")
	keep   = flag.Bool("record", false, "write what was measured to doc/record.json")
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
	if err := command(root, nil, "go", "build", "-o", unimac, "./cmd/unimac"); err != nil {
		return err
	}
	var rows []record.Program
	for _, p := range programs {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		start := time.Now()
		m := &measurement{program: p, dir: filepath.Join(dir, p.name), unimac: unimac}
		if err := m.prepare(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		log.Printf("%s: prepared in %d s", p.name, int(time.Since(start).Seconds()))
		if *test {
			if err := m.runTests(); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			os.RemoveAll(m.dir)
			continue
		}
		if err := p.measure(m); err != nil {
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
