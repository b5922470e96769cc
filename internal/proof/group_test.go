// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/engine"
)

// TestTogether checks that an error is found if a kernel is wrong for one of many
// lengths that share a run.
func TestTogether(t *testing.T) {
	for _, test := range []struct{ name, end, err string }{
		{"unchanged", "", ""},
		{"store", "MOVQ $0, -8(DI)", "520 bytes: dst[51"},
		{"read beyond src", "MOVB (SI), AX", "520 bytes: line"},
		{"branch on a secret", "TESTQ AX, AX\nJE on", "520 bytes: line"},
		{"changed BP", "MOVQ AX, BP", "520 bytes: BP is changed"},
	} {
		k := tiny()
		k.Step, k.Advance = 0, nil
		text := tinyAMD64("0", "", "", "CMPQ n+16(FP), $520\nJNE on\n"+test.end+"\non:")
		f, fn := parse(t, k.File, k.Func, text)
		r, err := k.ProveFunc(f, fn, engine.All)
		if test.err == "" && (err != nil || r.Runs != 128) {
			t.Errorf("%s: got %d runs and error %v, want 128 runs", test.name, r.Runs, err)
		}
		if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.err)
		}
	}
}
