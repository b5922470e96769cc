// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// measureKopia runs kopia's own benchmarks of how it hashes and encrypts blocks of 1 MiB:
// by default with BLAKE2B-256-128, and on request with ChaCha20-Poly1305.
func measureKopia(m *measurement) error {
	kopia, err := m.buildAll(".")
	if err != nil || *build {
		return err
	}
	home := filepath.Join(m.dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	for _, benchmark := range []struct {
		what, kind, repeat, algorithm string
		mib                           float64 // that it counts as one
	}{
		{"hash 1 MiB by BLAKE2B-256-128", "hashing", "3", "BLAKE2B-256-128", 32},
		{"encrypt 1 MiB by ChaCha20-Poly1305", "encryption", "300", "CHACHA20-POLY1305-HMAC-SHA256", 1},
	} {
		result := regexp.MustCompile(`\. ` + benchmark.algorithm + ` +([0-9.]+) ([KMG]?)B / second`)
		err := m.turns(benchmark.what, *rounds, func(build int) (float64, error) {
			out, err := output(m.dir, "env", "HOME="+home, "KOPIA_CHECK_FOR_UPDATES=false",
				kopia[build], "benchmark", benchmark.kind, "--block-size=1MB", "--repeat="+benchmark.repeat, "--log-level=error")
			if err != nil {
				return 0, err
			}
			found := result.FindSubmatch(out)
			if found == nil {
				return 0, fmt.Errorf("no result in %s", out)
			}
			speed, err := strconv.ParseFloat(string(found[1]), 64)
			speed *= map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[string(found[2])]
			return (1 << 20) / (speed * benchmark.mib), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
