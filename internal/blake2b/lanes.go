// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"strconv"

	"github.com/unimac/unimac/internal/dispatch"
)

// maxLanes is the number of lanes of the widest kernel.
const maxLanes = 8

// Lanes returns the number of messages processed at once, or 1 if no kernel is enabled.
func Lanes() int { return max(1, laneCount()) }

// lanes is the argument of the kernels that process several messages at once. Each lane
// has a chain value, a byte count, and a pointer to the rest of its message. The
// assembly depends on the layout.
type lanes struct {
	h      [8][maxLanes]uint64 // one row per word
	t      [maxLanes]uint64
	blocks [maxLanes]*byte
}

func (l *lanes) load(lane int, h *[8]uint64, t uint64) {
	for i := range h {
		l.h[i][lane] = h[i]
	}
	l.t[lane] = t
}

func (l *lanes) store(lane int, h *[8]uint64) {
	for i := range h {
		h[i] = l.h[i][lane]
	}
}

// NewAll sets states[i] to New(size, keys[i]) for each i. It panics if New would panic,
// or if len(states) and len(keys) differ.
func NewAll(states []State, size int, keys [][]byte) {
	if len(keys) != len(states) {
		panic("blake2b: " + strconv.Itoa(len(keys)) + " keys for " + strconv.Itoa(len(states)) + " states")
	}
	width := laneCount()
	for len(states) > 0 {
		n := min(len(states), width)
		if !oneBlockInLanes(n) {
			for i := range states {
				states[i] = New(size, keys[i])
			}
			return
		}
		var l lanes
		for i, key := range keys[:n] {
			states[i] = State{}
			states[i].begin(size, key)
			l.load(i, &states[i].h, 0)
			l.blocks[i] = &states[i].buf[0]
		}
		compressLanes(&l, n, BlockSize, 0)
		for i := range states[:n] {
			if s := &states[i]; s.keySize > 0 {
				l.store(i, &s.h)
				s.t = BlockSize
			}
		}
		states, keys = states[n:], keys[n:]
	}
}

// WriteAll writes each message to the state at the same index. It panics if len(states)
// and len(msgs) differ.
func WriteAll(states []State, msgs [][]byte) {
	if len(msgs) != len(states) {
		panic("blake2b: " + strconv.Itoa(len(msgs)) + " messages for " + strconv.Itoa(len(states)) + " states")
	}
	t := scheduler{states: states, msgs: msgs}
	t.process()
}

// A scheduler assigns messages to lanes. When a message ends, the next message takes
// over its lane.
type scheduler struct {
	states []State
	msgs   [][]byte
	next   int // index of the next message to assign

	lanes lanes
	live  int              // lanes 0 to live-1 are in use
	state [maxLanes]*State // the state of each lane's message
	run   [maxLanes][]byte // the whole blocks to compress next
	rest  [maxLanes][]byte // the rest of the message after them
}

func (t *scheduler) process() {
	width := laneCount()
	for {
		for t.live < width && t.next < len(t.states) {
			t.assign(&t.states[t.next], t.msgs[t.next])
			t.next++
		}
		if !runInLanes(t.live) {
			break
		}
		t.step()
	}
	// Hash the remaining messages one by one because lanes would not be faster.
	for ; t.live > 0; t.retire(0) {
		s := t.state[0]
		t.lanes.store(0, &s.h)
		s.t = t.lanes.t[0]
		for len(t.run[0]) > 0 {
			compress(&s.h, t.run[0], s.t)
			s.t += uint64(len(t.run[0]))
			t.advance(0, len(t.run[0]))
		}
		t.lanes.load(0, &s.h, s.t)
	}
	for ; t.next < len(t.states); t.next++ {
		t.states[t.next].Write(t.msgs[t.next])
	}
}

// assign assigns a message to the next lane. If msg fits in the state's buffer, no
// block needs to be compressed yet, so assign only buffers msg.
func (t *scheduler) assign(s *State, msg []byte) {
	if len(msg) <= BlockSize-s.n {
		s.Write(msg)
		return
	}
	lane := t.live
	t.live++
	t.lanes.load(lane, &s.h, s.t)
	t.state[lane], t.run[lane], t.rest[lane] = s, nil, msg
	if s.n > 0 {
		n := copy(s.buf[s.n:], msg)
		t.run[lane], t.rest[lane] = s.buf[:], msg[n:]
	}
	t.advance(lane, 0)
}

// advance removes the first n bytes, which have been compressed, from t.run[lane].
func (t *scheduler) advance(lane, n int) {
	t.run[lane] = t.run[lane][n:]
	// Refill an empty run with whole blocks from t.rest[lane], but not with the last
	// block of the message, which is compressed differently.
	if rest := t.rest[lane]; len(t.run[lane]) == 0 && len(rest) > BlockSize {
		whole := (len(rest) - 1) / BlockSize * BlockSize
		t.run[lane], t.rest[lane] = rest[:whole], rest[whole:]
	}
}

// step compresses as many bytes in each active lane as the shortest run contains.
func (t *scheduler) step() {
	n := dispatch.MaxCall / maxLanes // limit for one kernel call
	for lane := range t.live {
		n = min(n, len(t.run[lane]))
		t.lanes.blocks[lane] = &t.run[lane][0]
	}
	compressLanes(&t.lanes, t.live, n, 0)
	for lane := t.live - 1; lane >= 0; lane-- {
		if t.advance(lane, n); len(t.run[lane]) == 0 {
			t.retire(lane)
		}
	}
}

// retire finishes the message in a lane and moves the last active lane into its place.
func (t *scheduler) retire(lane int) {
	s := t.state[lane]
	t.lanes.store(lane, &s.h)
	s.t = t.lanes.t[lane]
	s.n = copy(s.buf[:], t.rest[lane])
	t.live--
	if last := t.live; lane < last {
		var h [8]uint64
		t.lanes.store(last, &h)
		t.lanes.load(lane, &h, t.lanes.t[last])
		t.state[lane], t.run[lane], t.rest[lane] = t.state[last], t.run[last], t.rest[last]
	}
}

// SumAll appends the digests of all states to b in order, without changing the states,
// and returns the resulting slice.
func SumAll(b []byte, states []State) []byte {
	width := laneCount()
	for len(states) > 0 {
		n := min(len(states), width)
		if !oneBlockInLanes(n) {
			for i := range states {
				b = states[i].Sum(b)
			}
			break
		}
		var l lanes
		var last [maxLanes][BlockSize]byte
		for i := range n {
			var h [8]uint64
			t := states[i].lastBlock(&h, &last[i])
			l.load(i, &h, t-BlockSize) // the kernel counts a whole block
			l.blocks[i] = &last[i][0]
		}
		compressLanes(&l, n, BlockSize, ^uint64(0))
		for i := range n {
			var h [8]uint64
			l.store(i, &h)
			b = appendDigest(b, &h, states[i].Size())
		}
		states = states[n:]
	}
	return b
}
