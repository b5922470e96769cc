// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
)

// generated returns the output of all generators, by path.
var generated = sync.OnceValue(func() map[string][]byte {
	files := map[string][]byte{}
	for _, g := range generators {
		maps.Copy(files, g.files())
	}
	return files
})

// TestDrift regenerates every file in memory and compares it with the file on disk. The
// files are outside this module, so go test does not notice changes to them and may
// print a cached result. Run this test with -count=1.
func TestDrift(t *testing.T) {
	for path, content := range generated() {
		t.Run(path, func(t *testing.T) {
			old, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(old, content) {
				t.Error("the file differs from the generator's output: run go generate ./... in the repository's root")
			}
		})
	}
}

// TestRequirements checks that no function uses an instruction that its level does not
// include.
func TestRequirements(t *testing.T) {
	function := regexp.MustCompile(`(?m)^// func (\w+)\(.*\n(?:// Requires: (.*)\n)?TEXT (?:.*\n)+?(?:\n// func|\z)`)
	evex := regexp.MustCompile(`\b(Z\d+|[XY](1[6-9]|2\d|3[01])|K[0-7])\b`)
	for path, content := range generated() {
		if !strings.HasSuffix(path, "_amd64.s") {
			continue
		}
		text := string(content)
		// Each match includes the line that begins the next function, so duplicate
		// these lines.
		text = strings.ReplaceAll(text, "\n// func", "\n// func\n// func")
		matches := function.FindAllStringSubmatch(text, -1)
		if len(matches) != strings.Count(text, "\nTEXT ") {
			t.Errorf("%s: found %d functions, want %d", path, len(matches), strings.Count(text, "\nTEXT "))
		}
		for _, m := range matches {
			name, requires := m[1], strings.Split(m[2], ", ")
			level := cpu.LevelOf(name)
			if level == cpu.Generic {
				t.Errorf("%s: the name %s does not end with the name of a level", path, name)
				continue
			}
			for _, isa := range requires {
				if isa != "" && !slices.Contains(level.Sets(), isa) {
					t.Errorf("%s: %s requires %s, which its level does not include", path, name, isa)
				}
			}
			if r := evex.FindString(m[0]); level < cpu.AVX512 && r != "" {
				t.Errorf("%s: %s uses %s, which requires AVX-512", path, name, r)
			}
			if level >= cpu.AVX2 && !strings.Contains(m[0], "VZEROUPPER") {
				t.Errorf("%s: %s does not execute VZEROUPPER", path, name)
			}
		}
	}
}
