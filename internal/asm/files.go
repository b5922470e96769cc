// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import "github.com/unimac/unimac/internal/asm/nh"

// files lists everything that is generated.
var files = []file{
	{"umac/nh_arm64.s", nh.ARM64},
}
