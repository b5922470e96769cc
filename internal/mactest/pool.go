// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"sync"
	"testing"
)

// Pooled makes a pool give out x, and nothing that was in it before. So a test sees what is left
// in x when it is given back.
func Pooled(t *testing.T, pool *sync.Pool, x any) {
	before, empty := pool.New, false
	pool.New = func() any {
		empty = true
		return x
	}
	for !empty {
		pool.Get()
	}
	t.Cleanup(func() { pool.New = before })
}
