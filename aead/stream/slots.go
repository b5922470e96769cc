// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"slices"
	"sync"
)

// noChunk is in the place of a chunk's number.
const noChunk = -1

// A slot is a buffer for a chunk, and keeps the last one that it opened. A wide slot
// is for a run of chunks, too.
type slot struct {
	index int64 // of the chunk in plain, or noChunk
	plain []byte
	buf   []byte
	batch messageBatch
	wide  bool
}

// slots hands out slots and so bounds memory.
type slots struct {
	mu    sync.Mutex
	freed sync.Cond
	free  []*slot // the least recently used first

	// How many there may be, and how many of them wide; and how many were made.
	count, wide    int
	made, madeWide int
}

func (s *slots) init(count, wide int) {
	s.freed.L = &s.mu
	s.count, s.wide = count, wide
}

// take waits for a free slot, preferably the one that holds chunk i.
func (s *slots) take(i int64) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if at := slices.IndexFunc(s.free, func(slot *slot) bool { return slot.index == i }); at >= 0 {
			return s.remove(at)
		}
		if s.made < s.count {
			s.made++
			return &slot{index: noChunk}
		}
		if len(s.free) > 0 {
			return s.remove(0)
		}
		s.freed.Wait()
	}
}

// takeWide waits for a free slot that is wide.
func (s *slots) takeWide() *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if at := slices.IndexFunc(s.free, func(slot *slot) bool { return slot.wide }); at >= 0 {
			return s.remove(at)
		}
		if s.madeWide < s.wide {
			if s.made < s.count {
				s.made++
				s.madeWide++
				return &slot{index: noChunk, wide: true}
			}
			if len(s.free) > 0 {
				s.madeWide++
				slot := s.remove(0)
				slot.wide = true
				return slot
			}
		}
		s.freed.Wait()
	}
}

func (s *slots) remove(at int) *slot {
	slot := s.free[at]
	s.free = slices.Delete(s.free, at, at+1)
	return slot
}

func (s *slots) put(slot *slot) {
	s.mu.Lock()
	s.free = append(s.free, slot)
	s.mu.Unlock()
	s.freed.Broadcast() // those that wait may need a wide one
}
