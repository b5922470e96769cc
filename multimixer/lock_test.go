// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"regexp"
	"runtime"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestExpandLocks checks that the key grows under its lock: without it, a goroutine could
// replace a long beginning of L with a shorter one.
func TestExpandLocks(t *testing.T) {
	k := mustKey(t, mactest.Random(KeySize, 1), Size256)
	k.grow.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.Sum(nil, make([]byte, 100))
	}()
	waits := regexp.MustCompile(`sync\.Mutex\.Lock[^\n]*\]:\n(?:[^\n]+\n)*[^\n]*multimixer\.\(\*Key\)\.expand`)
	stacks := make([]byte, 1<<20)
	for !waits.Match(stacks[:runtime.Stack(stacks, true)]) {
		select {
		case <-done:
			t.Fatal("the key grew while somebody else had its lock")
		default:
			runtime.Gosched()
		}
	}
	k.grow.Unlock()
	<-done
}
