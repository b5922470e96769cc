// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package goals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/speed"
)

// A miss is a goal that a record does not reach.
type miss struct {
	Goal
	record *speed.Record
	size   int // the worst
}

// A cause is why some goals are missed. All that is said of a processor was measured there, or is
// what its maker says.
type cause struct {
	of     func(m *miss) bool
	reason func(m *miss) string
}

// causes begin with what is most special.
var causes = []cause{
	{func(m *miss) bool { return m.Peer == "unimac-chacha20-alone" }, always(
		"Poly1305 needs a fifth as many vector instructions as ChaCha20; the scalar multiplier takes only a part of them")},
	{func(m *miss) bool { return m.Peer == "unimac-blake2b-alone" }, always(
		"BLAKE2b leaves too few idle cycles to hide all of ChaCha20 in them")},
	{func(m *miss) bool { return m.Ours == "unimac-avx2" && m.in("stream-seal", "stream-open") }, always(
		"BLAKE2b for AVX2 takes 162 cycles per block in the best schedule found; the other formats do not use BLAKE2b")},
	{func(m *miss) bool {
		return m.alone(64) && m.in("chacha20-poly1305-siv-seal", "chacha20-poly1305-siv-open")
	}, always(
		"four blocks of ChaCha20, each of which needs the result of the one before: 960 instructions in a row, where x/crypto has 240")},
	{func(m *miss) bool { return m.alone(64) && m.in("chacha20-poly1305-seal", "chacha20-poly1305-open") }, always(
		"the latency of one ChaCha20 block, which both compute, is most of the time")},
	{func(m *miss) bool { return m.in("ssh") && m.Ours == "umac-128-etm" }, always(
		"without Accelerate, x/crypto/ssh encrypts and authenticates in two passes")},
	{func(m *miss) bool { return m.Peer == "unimac-one-thread" && strings.Contains(m.Contest, "open") }, always(
		"one goroutine copies all data to buffers, and the kernels take 1.1 times the processor time when two threads run")},
	{func(m *miss) bool { return m.Peer == "unimac-one-thread" }, always(
		"not known: the kernels take up to 1.2 times the processor time when two threads run, and smaller jobs do not change that")},
	{func(m *miss) bool { return m.Peer == "pyca" }, always(
		"its AES-GCM is as fast as ours; the rest of its time is new memory for the result, which cost more where the goal was set")},

	{func(m *miss) bool {
		return m.avx2() && m.in("chacha20-blake2b-seal", "chacha20-blake2b-open") && m.intel()
	}, always(
		"the kernel has 2300 instructions per 128 bytes; Intel's cores begin at most six per cycle, Zen 5 eight")},
	{func(m *miss) bool { return m.avx2() && m.in("chacha20-poly1305-siv-seal") }, always(
		"the tag must be known before encryption begins, so Poly1305 cannot hide in ChaCha20 as in x/crypto's one pass")},
	{func(m *miss) bool { return m.avx2() && strings.HasSuffix(m.Contest, "-sizes") && m.size <= 320 }, always(
		"x/crypto has code for up to 128, 192 and 320 bytes that computes all blocks at the same time")},
	{func(m *miss) bool { return m.avx2() && m.in("chacha20-poly1305-seal-sizes") && m.size <= 1024 }, always(
		"what the last step encrypts is hashed after it, with nothing next to it: up to 1024 bytes that is most or all of the text")},
	{func(m *miss) bool {
		return m.Ours == "unimac" && m.in("chacha20-poly1305-siv-seal-batch", "chacha20-poly1305-siv-open-batch") && m.intel()
	}, always(
		"the kernels take 0.36 of x/crypto's time, copies to and from the lanes 0.14, and checks, order and tags of each packet 0.2")},
	{func(m *miss) bool {
		return m.Ours == "unimac" && m.Peer == "x-crypto" && m.in("chacha20-poly1305-siv-seal", "chacha20-poly1305-siv-open")
	}, (*miss).besides},
	{(*miss).startsLate, (*miss).start},
	{func(m *miss) bool {
		return m.Peer == "x-chacha20poly1305" && m.in("stream-formats-seal", "stream-formats-open")
	}, (*miss).chunk},
	{func(m *miss) bool { return m.avx2() && strings.HasPrefix(m.Peer, "x-c") && m.intel() }, always(busy)},

	{func(m *miss) bool { return m.Peer == "nettle" && m.alone(16<<10) && m.intel() }, always(
		"Intel's cores do two vector instructions of 512 bits per cycle, but three of nettle's 128; Zen 5 does four of either")},
	{func(m *miss) bool {
		return m.Ours == "unimac" && strings.HasPrefix(m.Contest, "chacha20-poly1305") && strings.HasPrefix(m.Peer, "x-c") && m.intel()
	}, always(widths)},
	{func(m *miss) bool {
		return m.Ours == "unimac" && strings.HasPrefix(m.Contest, "chacha20-poly1305") && m.size > 1024 && m.intel()
	}, (*miss).share},
	{(*miss).withinSpread, always("the goal lies within the spread of this run")},
}

// widths is what an instruction that does nothing but to add measures, and AMD's manual.
const widths = "Intel's cores do two vector instructions of 512 bits per cycle, but three of x/crypto's 256; Zen 5 does four of either"

const busy = "both keep Intel's three vector units busy, and x/crypto needs only 1.2 times as many vector instructions"

func always(reason string) func(m *miss) string { return func(*miss) string { return reason } }

// reason says why a goal is missed, where that is known.
func (m *miss) reason() string {
	for _, c := range causes {
		if c.of(m) {
			return c.reason(m)
		}
	}
	return "not known"
}

func (m *miss) in(contests ...string) bool { return slices.Contains(contests, m.Contest) }
func (m *miss) avx2() bool                 { return m.Ours == "unimac-avx2" }
func (m *miss) intel() bool                { return strings.HasPrefix(m.record.Processor, "Intel") }

// alone reports whether the goal is about messages of one size.
func (m *miss) alone(size int) bool { return len(m.Sizes) == 1 && m.size == size }

// around returns the nanoseconds of an entrant's message without the part that grows with its
// length, as far as the time for 16 KiB tells.
func (m *miss) around(entrant string) float64 {
	const long = 16 << 10
	ns := m.record.NS(m.Contest, entrant, m.size)
	return ns - float64(m.size)*(m.record.NS(m.Contest, entrant, long)-ns)/float64(long-m.size)
}

// startsLate reports whether it is the beginning and the end that take longer than the peer's.
func (m *miss) startsLate() bool {
	return m.avx2() && m.size == 1420 && m.around(m.Ours) > m.around(m.Peer)
}

func (m *miss) start() string {
	r := m.record
	return fmt.Sprintf("start and end of a message, where ChaCha20 and Poly1305 wait for each other, take %.0f of %.0f ns, x/crypto's %.0f of %.0f",
		m.around(m.Ours), r.NS(m.Contest, m.Ours, m.size), m.around(m.Peer), r.NS(m.Contest, m.Peer, m.size))
}

// besides tells how much of the time of ChaCha20-Poly1305-SIV its keys take.
func (m *miss) besides() string {
	r := m.record
	reason := fmt.Sprintf("it takes %.0f ns, ChaCha20-Poly1305 %.0f, x/crypto's %.0f; it alone has three blocks, each of which needs the result of the one before",
		r.NS(m.Contest, m.Ours, m.size), r.NS(m.Contest, "unimac-chacha20poly1305", m.size), r.NS(m.Contest, m.Peer, m.size))
	if m.in("chacha20-poly1305-siv-seal") {
		reason += ", and Poly1305 in a pass of its own"
	}
	return reason + m.units()
}

// chunk tells how much faster than the peer a chunk of a stream is.
func (m *miss) chunk() string {
	const size = 16 << 10
	what := strings.TrimPrefix(m.Contest, "stream-formats-")
	contest := "chacha20-poly1305-" + what
	reason := fmt.Sprintf("to %s a single chunk, in the cache, is %.2f times as fast as with x/crypto",
		what, m.record.NS(contest, "x-crypto", size)/m.record.NS(contest, m.Ours, size))
	if what == "open" {
		reason += ", and a Reader first copies the data to a buffer"
	}
	return reason + m.units()
}

// units goes on with what limits our kernel and the peer's, where that is known.
func (m *miss) units() string {
	switch {
	case m.intel() && m.avx2():
		return "; " + busy
	case m.intel():
		return "; " + widths
	}
	return ""
}

// share tells how much of the time is spent at the limit of the vector units.
func (m *miss) share() string {
	alone := m.record.NS("chacha20-poly1305-seal", "unimac-chacha20-alone", m.size)
	return fmt.Sprintf("ChaCha20 alone takes %.0f %% of this time, bound by vector instructions: Intel's cores do two of 512 bits per cycle, Zen 5 four",
		100*alone/m.record.NS(m.Contest, m.Ours, m.size))
}

// withinSpread reports whether the goal is reached by the better quartiles.
func (m *miss) withinSpread() bool {
	c := m.record.Contest(m.Contest)
	i, ours, peer := slices.Index(c.Sizes, m.size), c.Entrant(m.Ours), c.Entrant(m.Peer)
	return len(ours.Low) > i && len(peer.High) > i && m.Ratio.Reached(m.Ratio.Of(ours.Low[i], peer.High[i]))
}
