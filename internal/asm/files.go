// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

// files lists everything that is generated.
var files = []file{}
