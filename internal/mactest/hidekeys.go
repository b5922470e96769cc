// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// NothingPrinted checks that no verb of fmt prints a secret. Two values that differ in
// their keys, given as pointers, must print the same, as pointers and as values.
//
// Fmt does not ask a value about %p, nor about %w unless the value is an error. It prints
// the fields then: of a value for %p, and of a pointer too for %w. Of the two, go vet reports
// %w alone. Nor does it ask a value in a field of another struct that is not exported, whatever
// the verb. Only where secrets are behind a pointer is none of them printed then, and what is
// printed is short. A pointer in such a field is printed as an address by the verbs for values
// and numbers.
func NothingPrinted(t testing.TB, behindPointer bool, a, b any) {
	t.Helper()
	const longest = 300
	nothing := strings.Repeat(" ", 0) // vet would know of a constant that there is no verb for the value
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
