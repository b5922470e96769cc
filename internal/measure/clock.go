// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !windows

package measure

import "time"

var start = time.Now()

// clock returns the time since an arbitrary moment.
func clock() time.Duration { return time.Since(start) }
