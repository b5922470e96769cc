// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"strconv"

	"github.com/unimac/unimac/internal/impl"
)

const (
	// maxLanes is the number of lanes of the widest kernel.
	maxLanes = 8

	// minRun is the number of messages from which lanes, some of them idle, take
	// less time than compressions one after the other. For a single block each,
	// where the lanes must be filled and emptied, it is minOnce.
	minRun = 2
)

// Lanes is how many messages are worked on at once, which is 1 where there is no
// kernel for several.
func Lanes() int { return max(1, laneCount()) }

// lanes is what a kernel for several messages works on: in each lane a chain
// value, the bytes before it, and where the message goes on. Kernels know the
// layout.
type lanes struct {
	h      [8][maxLanes]uint64 // a row for each word
	t      [maxLanes]uint64
	blocks [maxLanes]*byte
}

// load puts a chain value and its count of bytes in a lane.
func (l *lanes) load(lane int, h *[8]uint64, t uint64) {
	for i := range h {
		l.h[i][lane] = h[i]
	}
	l.t[lane] = t
}

// store takes them out.
func (l *lanes) store(lane int, h *[8]uint64) {
	for i := range h {
		h[i] = l.h[i][lane]
	}
}

// fill gives the lanes between two numbers something to read. What they make of
// it is of no use to anyone.
//
//lint:ignore U1000 only kernels need it, and not every platform has one
func (l *lanes) fill(from, to int) {
	for i := from; i < to; i++ {
		l.blocks[i] = l.blocks[0]
	}
}

// NewAll sets each state to New(size, the key with the same index), and works on
// several keys at once. It panics where New does, and if there are not as many
// keys as states.
func NewAll(states []State, size int, keys [][]byte) {
	if len(keys) != len(states) {
		panic("blake2b: " + strconv.Itoa(len(keys)) + " keys for " + strconv.Itoa(len(states)) + " states")
	}
	width := laneCount()
	for len(states) > 0 {
		n := min(len(states), width)
		if n < minOnce() {
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

// WriteAll adds to the message of each state the one of msgs with the same index,
// and works on several at once, whatever their lengths. It panics if there are not
// as many messages as states.
func WriteAll(states []State, msgs [][]byte) {
	if len(msgs) != len(states) {
		panic("blake2b: " + strconv.Itoa(len(msgs)) + " messages for " + strconv.Itoa(len(states)) + " states")
	}
	t := turns{states: states, msgs: msgs}
	t.work()
}

// turns gives messages the lanes in turn: where one ends, the next begins.
type turns struct {
	states []State
	msgs   [][]byte
	next   int // the first message that has been in no lane yet

	lanes lanes
	live  int              // as many lanes are in use, the first ones
	state [maxLanes]*State // what each works for
	run   [maxLanes][]byte // the whole blocks it takes next
	rest  [maxLanes][]byte // what comes after them
}

// work hashes all messages.
func (t *turns) work() {
	width := laneCount()
	for {
		for t.live < width && t.next < len(t.states) {
			t.enter(&t.states[t.next], t.msgs[t.next])
			t.next++
		}
		if t.live < minRun {
			break
		}
		t.step()
	}
	// Those left are too few to be worth the lanes.
	for ; t.live > 0; t.leave(0) {
		s := t.state[0]
		t.lanes.store(0, &s.h)
		s.t = t.lanes.t[0]
		for len(t.run[0]) > 0 {
			compress(&s.h, t.run[0], s.t)
			s.t += uint64(len(t.run[0]))
			t.proceed(0, len(t.run[0]))
		}
		t.lanes.load(0, &s.h, s.t)
	}
	for ; t.next < len(t.states); t.next++ {
		t.states[t.next].Write(t.msgs[t.next])
	}
}

// enter gives a message the next lane, if it has a block to compress.
func (t *turns) enter(s *State, msg []byte) {
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
	t.proceed(lane, 0)
}

// proceed drops n bytes that a lane has compressed. At the end of one run, the
// next is all whole blocks of the message but its end, of which at least one byte
// remains.
func (t *turns) proceed(lane, n int) {
	t.run[lane] = t.run[lane][n:]
	if rest := t.rest[lane]; len(t.run[lane]) == 0 && len(rest) > BlockSize {
		whole := (len(rest) - 1) / BlockSize * BlockSize
		t.run[lane], t.rest[lane] = rest[:whole], rest[whole:]
	}
}

// step compresses as much as all lanes have.
func (t *turns) step() {
	n := impl.MaxCall / maxLanes
	for lane := range t.live {
		n = min(n, len(t.run[lane]))
		t.lanes.blocks[lane] = &t.run[lane][0]
	}
	compressLanes(&t.lanes, t.live, n, 0)
	for lane := t.live - 1; lane >= 0; lane-- {
		if t.proceed(lane, n); len(t.run[lane]) == 0 {
			t.leave(lane)
		}
	}
}

// leave ends a message and gives its lane to the last one in use.
func (t *turns) leave(lane int) {
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

// SumAll appends the digests of all states, one after the other, to b and
// returns the resulting slice. It changes no state.
func SumAll(b []byte, states []State) []byte {
	width := laneCount()
	for len(states) > 0 {
		n := min(len(states), width)
		if n < minOnce() {
			for i := range states {
				b = states[i].Sum(b)
			}
			break
		}
		var l lanes
		var last [maxLanes][BlockSize]byte
		for i := range n {
			var h [8]uint64
			t := states[i].last(&h, &last[i])
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
