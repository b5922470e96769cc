// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package record

import (
	"fmt"
	"math"
	"strings"
)

// tested returns a table per processor of the programs that passed their own tests.
func tested(all []*Record) string {
	var b strings.Builder
	for _, r := range all {
		if len(r.Tests) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n\n| program | uses | x/crypto | tests of | tests passed | times as fast | run |\n|---|---|---|---|---|---|---|\n", r.Heading())
		for _, t := range r.Tests {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s, %s |\n", t.Module, strings.Join(t.Uses, ", "), t.XCrypto,
				code(t.Packages), t.passed(), r.speedUp(t.Name), t.Date, t.Commit)
		}
	}
	return b.String() + "\n"
}

func code(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// passed returns the number of tests that passed, and what was not tested.
func (t *Tested) passed() string {
	text := fmt.Sprint(t.Passed)
	if t.Skipped > 0 {
		text += fmt.Sprintf("; %d skipped", t.Skipped)
	}
	pattern := func(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }
	if t.Omitted != "" {
		text += "; without " + pattern(t.Omitted)
		if t.Reason != "" {
			text += ", which " + t.Reason
		}
	}
	if u := t.Unreliable; u != nil {
		text += fmt.Sprintf("; without %s, which fails in %d of %d runs as released and in %d with the copy", pattern(u.Test), u.Released, u.Runs, u.Copy)
	}
	return text
}

// speedUp returns the range of a program's speed-ups with the copy of x/crypto, or ""
// if the program was not measured.
func (r *Record) speedUp(name string) string {
	low, high := math.Inf(1), 0.0
	for i := range r.Programs {
		if p := &r.Programs[i]; p.Name == name {
			low, high = min(low, p.Times()), max(high, p.Times())
		}
	}
	switch {
	case high == 0:
		return ""
	case low == high:
		return fmt.Sprintf("%.2f", low)
	}
	return fmt.Sprintf("%.2f to %.2f", low, high)
}
