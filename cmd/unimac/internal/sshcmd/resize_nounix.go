// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !unix

package sshcmd

// onResize never calls changed: nothing tells of it here.
func onResize(changed func()) (stop func()) { return func() {} }
