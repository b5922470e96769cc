// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package repository

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestMain changes to the module's root, to which the paths in the tests are relative.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestPlatforms checks that README.md names all processors that .ci/platforms and
// .ci/run test, and that the workflow has a job for each processor in .ci/platforms.
func TestPlatforms(t *testing.T) {
	words := regexp.MustCompile(`[\w-]+`)
	// list returns the words that a regular expression finds in a file.
	list := func(name, expression string) []string {
		m := regexp.MustCompile(expression).FindStringSubmatch(read(t, name))
		if m == nil {
			t.Fatalf("%s has no %s", name, expression)
		}
		return words.FindAllString(m[1], -1)
	}
	without := func(list []string, words ...string) []string {
		return slices.DeleteFunc(list, func(s string) bool { return slices.Contains(words, s) })
	}
	processors := list(".ci/platforms", `\nprocessors='([^']*)'`)
	all := slices.Concat(processors, list(".ci/platforms", `\nvariants='([^']*)'`))

	tested := without(list("README.md", `The code is tested with [^:]*: on amd64 and ([^.]*)\.`), "and", "under", "emulation", "on")
	if !slices.Equal(tested, processors) {
		t.Errorf("README.md says that %q are tested, but .ci/platforms has %q", tested, processors)
	}
	named := without(list("README.md", `The script\s+.\.ci/run.\s+includes\s+([^.]*)\.`), "and")
	if run := list(".ci/run", `\n\.ci/platforms -short ([^#\n]*)`); !slices.Equal(named, run) {
		t.Errorf("README.md says that .ci/run tests %q, but .ci/run has %q", named, run)
	}
	if jobs := list(".github/workflows/ci.yml", `\n +platform:\s+\[([^]]*)]`); !slices.Equal(jobs, all) {
		t.Errorf("the workflow has jobs for %q, but .ci/platforms has %q", jobs, all)
	}
	for _, name := range all {
		list(".ci/platforms", `\n\t((?:.* \| )?`+name+`)(?: \| .*)?\) `) // a case of the function platform
	}
}
