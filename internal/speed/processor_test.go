// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package speed

import (
	"strings"
	"testing"
)

func TestProcessor(t *testing.T) {
	for info, want := range map[string]string{
		"processor\t: 0\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Some CPU\n\nprocessor\t: 1\nmodel name\t: Other\n": "Some CPU (family 6, model 207)",
		"model name\t: ARM(R)\n": "ARM",
	} {
		if got := processor(info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if processor("") == "" || strings.Contains(processor(""), "family") {
		t.Error(processor(""))
	}
}
