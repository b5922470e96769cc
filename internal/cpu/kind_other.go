// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !amd64 || !gc || purego

package cpu

func ThisKind() Kind { return Narrow }

func askVAES() {}
