// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"slices"
	"sync"
)

const noChunk = -1

// A slot is a reusable buffer for a chunk, or several if wide.
type slot struct {
	index int64 // index of the chunk in plain, or noChunk
	plain []byte
	buf   []byte
	batch messageBatch
	wide  bool
}

// slotPool limits how many slots, and how many wide ones, exist.
type slotPool struct {
	mu    sync.Mutex
	freed sync.Cond
	free  []*slot // least recently used first

	maxSlots, maxWide        int
	allocated, allocatedWide int
}

func (s *slotPool) init(limit, wideLimit int) {
	s.freed.L = &s.mu
	s.maxSlots, s.maxWide = limit, wideLimit
}

// acquire waits for a free slot, preferably one that caches chunk i.
func (s *slotPool) acquire(i int64) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if at := slices.IndexFunc(s.free, func(slot *slot) bool { return slot.index == i }); at >= 0 {
			return s.remove(at)
		}
		if s.allocated < s.maxSlots {
			s.allocated++
			return &slot{index: noChunk}
		}
		if len(s.free) > 0 {
			return s.remove(0)
		}
		s.freed.Wait()
	}
}

func (s *slotPool) acquireWide() *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if at := slices.IndexFunc(s.free, func(slot *slot) bool { return slot.wide }); at >= 0 {
			return s.remove(at)
		}
		if s.allocatedWide < s.maxWide {
			if s.allocated < s.maxSlots {
				s.allocated++
				s.allocatedWide++
				return &slot{index: noChunk, wide: true}
			}
			if len(s.free) > 0 {
				s.allocatedWide++
				slot := s.remove(0)
				slot.wide = true
				return slot
			}
		}
		s.freed.Wait()
	}
}

func (s *slotPool) remove(at int) *slot {
	slot := s.free[at]
	s.free = slices.Delete(s.free, at, at+1)
	return slot
}

func (s *slotPool) release(slot *slot) {
	s.mu.Lock()
	s.free = append(s.free, slot)
	s.mu.Unlock()
	s.freed.Broadcast() // some goroutines may wait for a wide slot
}
