// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"regexp"
	"runtime"
	"sync"
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

// TestExpandConcurrent has goroutines ask one key for more and for less of L at once: what is
// there never becomes less. The race detector looks at it, too.
func TestExpandConcurrent(t *testing.T) {
	for round := range 200 {
		k := mustKey(t, mactest.Random(KeySize, uint64(round)), Size256)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := chunkSize >> i; n <= chunkSize; n *= 2 {
					k.first(n)
					if have := len(*k.l.Load()); have < n {
						t.Errorf("%d bytes of L, where there were %d", have, n)
					}
				}
			})
		}
		wg.Wait()
	}
}
