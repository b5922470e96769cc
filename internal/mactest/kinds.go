// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// maxBytes is the length of the longest message that [Kinds] tries.
const maxBytes = 16 << 10

// Kinds checks that sum returns the same as in plain Go for every implementation and
// kind of processor. It tries the lengths around the thresholds in tables.
func Kinds(t *testing.T, pkg string, tables any, sum func(n int) []byte) {
	lengths := []int{0, 1, maxBytes}
	// Try the lengths just below, at and above each threshold.
	visitInts(reflect.ValueOf(tables), func(n int) {
		for i := n - 1; i <= n+1 && i <= maxBytes; i++ {
			lengths = append(lengths, max(i, 0))
		}
	})
	slices.Sort(lengths)
	lengths = slices.Compact(lengths)
	t.Cleanup(func() { dispatch.Reset(pkg) })
	dispatch.Select(pkg, dispatch.Generic)
	var want [][]byte
	for _, n := range lengths {
		want = append(want, sum(n))
	}
	for _, level := range dispatch.List(pkg) {
		for _, kind := range append(cpu.Kinds(), cpu.Forced) {
			if !dispatch.SelectFor(pkg, level, kind) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", level, kind), func(t *testing.T) {
				for i, n := range lengths {
					if got := sum(n); !bytes.Equal(got, want[i]) {
						t.Errorf("%d bytes: %x, want %x", n, got, want[i])
					}
				}
			})
		}
	}
}

// Thresholds checks pkg's tables that map message lengths to code paths.
func Thresholds[Path ~uint8](t *testing.T, pkg string, require func(Path) cpu.Level, tables ...dispatch.Table[Path]) {
	for i, table := range tables {
		for _, name := range dispatch.List(pkg) {
			level := cpu.LevelOf(strings.ToUpper(name))
			for _, kind := range append(cpu.Kinds(), cpu.Forced) {
				list := table.Thresholds(&dispatch.Choice{Level: level, Kind: kind})
				if len(list) == 0 {
					t.Errorf("table %d, %s, %s: no thresholds", i, name, kind)
				}
				for j, row := range list {
					// Max must increase, except in the last row, and adjacent paths
					// must differ.
					if j > 0 && (j < len(list)-1 && row.Max <= list[j-1].Max || row.Path == list[j-1].Path) {
						t.Errorf("table %d, %s, %s: %v must not follow %v", i, name, kind, row, list[j-1])
					}
					// The level must include the level that the path needs.
					if need := require(row.Path); !level.Includes(need) {
						t.Errorf("table %d, %s, %s: %v requires %s, which the level does not include", i, name, kind, row, need)
					}
				}
			}
		}
	}
}

// Identity returns l, for packages whose code paths are CPU levels.
func Identity(l cpu.Level) cpu.Level { return l }

// visitInts calls f with each int contained in v.
func visitInts(v reflect.Value, f func(n int)) {
	switch v.Kind() {
	case reflect.Int:
		f(int(v.Int()))
	case reflect.Struct:
		for i := range v.NumField() {
			visitInts(v.Field(i), f)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			visitInts(v.Index(i), f)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			visitInts(v.MapIndex(key), f)
		}
	case reflect.Pointer:
		visitInts(v.Elem(), f)
	}
}
