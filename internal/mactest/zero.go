// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"reflect"
	"slices"
	"testing"
)

// NeverTrue checks that verify, called on a zero value, returns false or panics.
func NeverTrue(t *testing.T, name string, verify func() bool) {
	t.Helper()
	defer func() { recover() }()
	if verify() {
		t.Errorf("%s of the zero value returned true", name)
	}
}

// ZeroPanics checks that the methods of a zero value, except those listed in except,
// panic with the message want. zero must be a pointer to the zero value.
func ZeroPanics(t *testing.T, zero any, want string, except ...string) {
	t.Helper()
	v := reflect.ValueOf(zero)
	for i := range v.NumMethod() {
		name, method := v.Type().Method(i).Name, v.Method(i)
		if slices.Contains(except, name) {
			continue
		}
		var args []reflect.Value
		for j := range method.Type().NumIn() {
			// All arguments are zero values, too.
			args = append(args, reflect.Zero(method.Type().In(j)))
		}
		call := method.Call
		if method.Type().IsVariadic() {
			call = method.CallSlice
		}
		if got := Panic(func() { call(args) }); got != want {
			t.Errorf("%s of a zero %T: panic %q, want %q", name, zero, got, want)
		}
	}
}
