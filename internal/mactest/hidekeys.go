// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// NothingPrinted checks that package fmt prints no secret for any verb. a and b must
// point to values with different keys. fmt must print the same text for both pointers,
// and the same text for both values.
//
// Package fmt does not call a value's Format method for %p, for %w if the value is not
// an error, or if the value is in an unexported field. It prints the value's fields
// instead, so a secret stays hidden only behind a pointer, which fmt prints as an
// address. behindPointer states that the secrets in a and b are behind a pointer.
func NothingPrinted(t testing.TB, behindPointer bool, a, b any) {
	t.Helper()
	const longest = 300
	nothing := strings.Repeat(" ", 0) // hides the format from go vet, which would report the missing verb
	for i, v := range [][2]any{{a, b}, {reflect.ValueOf(a).Elem().Interface(), reflect.ValueOf(b).Elem().Interface()}} {
		for _, flags := range []string{"", "+", "#", "-", " ", "0", "40", ".3", "+#", "# ", "+-# 040.20"} {
			for verb := 'A'; verb <= 'z'; verb++ {
				if 'Z' < verb && verb < 'a' {
					continue
				}
				unasked := verb == 'p' || verb == 'w'
				if unasked && !behindPointer {
					continue
				}
				format := "%" + flags + string(verb)
				x, y := fmt.Sprintf(format, v[0]), fmt.Sprintf(format, v[1])
				if unasked && len(x) > longest {
					t.Errorf("%s of %T prints %s", format, v[0], x)
				}
				if !unasked && x != y {
					t.Errorf("%s of %T depends on the key: %s and %s", format, v[0], x, y)
				}
			}
		}
		if i == 0 || behindPointer {
			for _, format := range []string{"%v", "%+v", "%#v", "%x", "%d"} {
				if x := fmt.Sprintf(format, struct{ held any }{v[0]}); len(x) > longest {
					t.Errorf("%s of %T in a field prints %s", format, v[0], x)
				}
			}
		}
		if x, y := fmt.Sprintln(v[0])+fmt.Sprintf(nothing, v[0]), fmt.Sprintln(v[1])+fmt.Sprintf(nothing, v[1]); x != y {
			t.Errorf("Sprintln of %T depends on the key: %s and %s", v[0], x, y)
		}
	}
}
