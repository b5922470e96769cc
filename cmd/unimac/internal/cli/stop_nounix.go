// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix

package cli

// onStop does nothing: programs do not stop here.
func onStop(func() (resume func())) (end func()) { return func() {} }
