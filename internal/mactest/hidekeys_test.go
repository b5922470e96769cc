// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"fmt"
	"io"
	"testing"
)

type (
	silent    struct{ key [100]byte }  // prints no key
	oneVerb   struct{ key [100]byte }  // prints the key for one verb with one flag
	byPointer struct{ key [100]byte }  // formats only pointers
	pointed   struct{ key *[100]byte } // prints no key; its key is behind a pointer
)

func (silent) Format(s fmt.State, _ rune)  { io.WriteString(s, "silent") }
func (pointed) Format(s fmt.State, _ rune) { io.WriteString(s, "pointed") }
func (v oneVerb) Format(s fmt.State, verb rune) {
	if verb == 'q' && s.Flag('#') {
		fmt.Fprint(s, v.key)
	}
}
func (*byPointer) Format(s fmt.State, _ rune) { io.WriteString(s, "byPointer") }

// noticing counts errors.
type noticing struct {
	testing.TB
	errors int
}

func (n *noticing) Errorf(string, ...any) { n.errors++ }

// TestNothingPrinted checks that NothingPrinted reports every type that prints its key
// for at least one format, and no other type.
func TestNothingPrinted(t *testing.T) {
	zero, one := [100]byte{}, [100]byte{1}
	for _, tt := range []struct {
		behindPointer, leaks bool
		a, b                 any
	}{
		{false, false, &silent{zero}, &silent{one}},
		{true, true, &silent{zero}, &silent{one}}, // in a field of another struct
		{true, false, &pointed{&zero}, &pointed{&one}},
		{false, true, &oneVerb{zero}, &oneVerb{one}},
		{false, true, &byPointer{zero}, &byPointer{one}},
	} {
		n := &noticing{TB: t}
		if NothingPrinted(n, tt.behindPointer, tt.a, tt.b); n.errors > 0 != tt.leaks {
			t.Errorf("%T: %d errors, want errors: %t", tt.a, n.errors, tt.leaks)
		}
	}
}
