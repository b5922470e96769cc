// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package record

import (
	"runtime"
	"testing"
)

func TestProcessor(t *testing.T) {
	for info, want := range map[string][2]string{
		"processor\t: 0\ncpu family\t: 6\nmodel\t\t: 9999\nmodel name\t: Some CPU\n\nprocessor\t: 1\nmodel name\t: Other\n": {"Some CPU (family 6, model 9999)", "Some CPU (family 6, model 9999)"},
		"cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n":                                                          {"AMD Zen 5, EPYC 9005", "AMD EPYC (family 26, model 2)"},
		"model name\t: ARM(R)\n": {"ARM", "ARM"},
		"":                       {runtime.GOARCH, runtime.GOARCH},
	} {
		if name, system := processor(info); name != want[0] || system != want[1] {
			t.Errorf("%q, %q, want %q", name, system, want)
		}
	}
}
