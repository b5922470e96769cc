// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package record

import (
	"fmt"
	"slices"
	"strings"
)

// A Goal is the minimum speed of one entrant as a multiple of another entrant's speed.
type Goal struct {
	Work       string // what a reader calls it
	Contest    string
	Sizes      []int // of messages, nil for all of the contest's; the worst of them counts
	Ours, Peer string
	Least      float64
	Sentence   string // what decides about it
}

const (
	wideNH           = "bound by vector multiplications: Intel's cores do two vector instructions of 512 bits per cycle, but three of nettle's 128; Zen 5 does four of either"
	oneCall          = "a short message is one call of assembly, AES included"
	batch            = "SumBatch hashes many short messages in one call"
	powers           = "the kernel adds several blocks at a time, by powers of the key"
	noLoss           = "nobody may lose by changing from x/crypto"
	callersLoop      = "Rust compiles the crate into its caller's loop, and Go must call assembly"
	oneBlockAtATime  = "HMAC-SHA-256 hashes one block after the other"
	chain            = "each step of one message needs the result of the one before"
	lanes            = "eight messages are hashed in the lanes of the vectors"
	keptState        = "x/crypto takes a new state for each key, and ours keeps it"
	chacha20Bound    = "both are bound by vector instructions"
	besideBLAKE2b    = "libsodium makes two passes, and ours computes ChaCha20 in idle cycles of BLAKE2b"
	idleCycles       = "BLAKE2b leaves too few idle cycles to hide all of ChaCha20 in them"
	begun            = "the kernel has 2300 instructions per 128 bytes; Intel's cores begin at most six per cycle, Zen 5 eight"
	onePass          = "both make one pass, of which ChaCha20's vector instructions are the largest part"
	widths           = "Intel's cores do two vector instructions of 512 bits per cycle, but three of x/crypto's 256; Zen 5 does four of either"
	scalarMultiplier = "Poly1305 needs a fifth as many vector instructions as ChaCha20; the scalar multiplier takes only a part of them"
	oneBlock         = "the latency of one ChaCha20 block, which both compute, is most of the time"
	sameUnits        = "both keep the vector units busy, and x/crypto needs only 1.2 times as many vector instructions"
	xSizes           = "x/crypto computes all blocks of up to 320 bytes at the same time; what our last step encrypts is hashed after it, with nothing next to it"
	afterTheTag      = "the tag must be known before encryption begins, and three blocks more each need the result of the one before"
	threeMore        = "three blocks of ChaCha20 more, each of which needs the result of the one before"
	fourBlocks       = "four blocks of ChaCha20, each of which needs the result of the one before: 960 instructions in a row, where x/crypto has 240"
	aroundLanes      = "copies to and from the lanes, and checks, order and tags of each packet, take as long as the kernels"
	blake2bStream    = "BLAKE2b for AVX2 takes 162 cycles per block in the best schedule found; the other formats do not use BLAKE2b"
	twoThreads       = "one goroutine copies the data, and the kernels take up to 1.2 times the processor time when two threads run"
	fromMemory       = "the data comes from memory"
	copied           = "the data comes from memory, and a Reader first copies it to a buffer"
	sameGCM          = "the AES-GCM is crypto/cipher's, so only what is around it can cost anything"
	newMemory        = "its AES-GCM is as fast as ours; the rest of its time is new memory for the result"
	aegisRounds      = "both compute the same AES rounds, and a chain of them ties each step to the one before"
	aegisPieces      = "a short message is mostly set-up and the wait for each round"
	aegisNarrow      = "without wide AES, the lanes of the X variants take turns"
	aegisKeyed       = "ours keeps the keyed state in its kernel's order, libaegis copies it"
	twoPasses        = "x/crypto/ssh encrypts and authenticates in two passes"
)

var large, short, packet, stream = []int{16 * kiB, 64 * kiB}, []int{16, 32, 64, 128, 256}, []int{1420}, []int{64 * miB}

var Goals = append(aegisGoals(), []Goal{
	{"UMAC-64, 16 KiB", "umac-64", []int{16 * kiB}, "unimac", "nettle", 3.3, wideNH},
	{"UMAC-64, 1 KiB", "umac-64", []int{kiB}, "unimac", "nettle", 1.8, wideNH},
	{"UMAC-64, 32 B", "umac-64", []int{32}, "unimac", "nettle", 1 / 0.5, oneCall},
	{"UMAC-64, 64 messages of 32 B", "umac-64-batch", []int{32}, "unimac", "nettle", 1 / 0.3, batch},
	{"UMAC-128, 16 KiB", "umac-128", []int{16 * kiB}, "unimac", "nettle", 2.3, wideNH},
	{"Poly1305, 16 KiB", "poly1305", []int{16 * kiB}, "unimac", "openssl", 1.35, powers},
	{"Poly1305, 16 KiB, AVX2 alone", "poly1305", []int{16 * kiB}, "unimac-avx2", "x-crypto", 1.9, powers},
	{"Poly1305, 64 KiB", "poly1305", []int{64 * kiB}, "unimac", "intel-ipsec-mb", 1.15, powers},
	{"Poly1305, 1 KiB", "poly1305", []int{kiB}, "unimac", "x-crypto", 2.2, powers},
	{"Poly1305, 16 to 64 B", "poly1305", []int{16, 24, 32, 40, 48, 56, 64}, "unimac", "x-crypto", 1, noLoss},
	{"Multimixer-128 digest, 8 KiB", "multimixer-digest", []int{8 * kiB}, "unimac", "crate", 1.8, callersLoop},
	{"MAC on Multimixer-128, 64 KiB", "multimixer-mac", []int{64 * kiB}, "unimac", "crypto-hmac", 10, oneBlockAtATime},
	{"keyed BLAKE2b, 64 KiB", "blake2b", []int{64 * kiB}, "unimac", "x-crypto", 1.15, chain},
	{"keyed BLAKE2b, eight messages of 64 KiB", "blake2b-8", []int{64 * kiB}, "unimac", "x-crypto", 4.5, lanes},
	{"MultiMAC, 16 B and 512 B", "multimac", []int{512}, "unimac", "x-crypto", 1 / 0.65, keptState},
	{"ChaCha20, 16 KiB", "chacha20", []int{16 * kiB}, "unimac", "openssl", 1, chacha20Bound},
	{"ChaCha20-BLAKE2b Seal, 16 KiB", "chacha20-blake2b-seal", []int{16 * kiB}, "unimac", "libsodium", 1.5, besideBLAKE2b},
	{"ChaCha20-BLAKE2b Seal, 16 KiB", "chacha20-blake2b-seal", []int{16 * kiB}, "unimac", "unimac-blake2b-alone", 0.93, idleCycles},
	{"ChaCha20-BLAKE2b Seal, 512 B", "chacha20-blake2b-seal", []int{512}, "unimac", "libsodium", 1 / 0.65, besideBLAKE2b},
	{"ChaCha20-BLAKE2b Open, 16 KiB", "chacha20-blake2b-open", []int{16 * kiB}, "unimac", "unimac-blake2b-alone", 0.93, idleCycles},
	{"ChaCha20-BLAKE2b Seal, 16 KiB, AVX2 alone", "chacha20-blake2b-seal", []int{16 * kiB}, "unimac-avx2", "libsodium", 1.5, begun},
	{"ChaCha20-Poly1305 Seal, 16 and 64 KiB", "chacha20-poly1305-seal", large, "unimac", "intel-ipsec-mb", 1.05, onePass},
	{"ChaCha20-Poly1305 Seal, 16 and 64 KiB", "chacha20-poly1305-seal", large, "unimac", "openssl", 1.25, onePass},
	{"ChaCha20-Poly1305 Seal, 16 and 64 KiB", "chacha20-poly1305-seal", large, "unimac", "x-crypto", 1.9, widths},
	{"ChaCha20-Poly1305 Seal, 16 and 64 KiB", "chacha20-poly1305-seal", large, "unimac", "unimac-chacha20-alone", 0.93, scalarMultiplier},
	{"ChaCha20-Poly1305 Open, 16 and 64 KiB", "chacha20-poly1305-open", large, "unimac", "intel-ipsec-mb", 1.05, onePass},
	{"ChaCha20-Poly1305 Open, 16 and 64 KiB", "chacha20-poly1305-open", large, "unimac", "openssl", 1.25, onePass},
	{"ChaCha20-Poly1305 Open, 16 and 64 KiB", "chacha20-poly1305-open", large, "unimac", "x-crypto", 1.9, widths},
	{"ChaCha20-Poly1305 Open, 16 and 64 KiB", "chacha20-poly1305-open", large, "unimac", "unimac-chacha20-alone", 0.93, scalarMultiplier},
	{"ChaCha20-Poly1305 Seal, 1420 B", "chacha20-poly1305-seal", packet, "unimac", "intel-ipsec-mb", 1.25, onePass},
	{"ChaCha20-Poly1305 Seal, 1420 B", "chacha20-poly1305-seal", packet, "unimac", "x-crypto", 2, widths},
	{"ChaCha20-Poly1305 Open, 1420 B", "chacha20-poly1305-open", packet, "unimac", "intel-ipsec-mb", 1.25, onePass},
	{"ChaCha20-Poly1305 Open, 1420 B", "chacha20-poly1305-open", packet, "unimac", "x-crypto", 2, widths},
	{"ChaCha20-Poly1305 Seal, 64 B", "chacha20-poly1305-seal", []int{64}, "unimac", "x-crypto", 1 / 0.65, oneBlock},
	{"ChaCha20-Poly1305 Open, 64 B", "chacha20-poly1305-open", []int{64}, "unimac", "x-crypto", 1 / 0.65, oneBlock},
	{"ChaCha20-Poly1305 Seal, AVX2 alone, 1420 B and 16 KiB", "chacha20-poly1305-seal", []int{1420, 16 * kiB}, "unimac-avx2", "x-crypto", 1.15, sameUnits},
	{"ChaCha20-Poly1305 Open, AVX2 alone, 1420 B and 16 KiB", "chacha20-poly1305-open", []int{1420, 16 * kiB}, "unimac-avx2", "x-crypto", 1.15, sameUnits},
	{"ChaCha20-Poly1305 Seal, AVX2 alone, 0 B to 64 KiB", "chacha20-poly1305-seal-sizes", nil, "unimac-avx2", "x-crypto", 1, xSizes},
	{"SealBatch, 128 packets of 64 B", "chacha20-poly1305-batch", []int{64}, "unimac", "x-crypto", 1 / 0.3, widths},
	{"SealBatch, 128 packets of 256 B", "chacha20-poly1305-batch", []int{256}, "unimac", "x-crypto", 1 / 0.4, widths},
	{"SealBatch, 128 packets of 1420 B", "chacha20-poly1305-batch", packet, "unimac", "x-crypto", 1 / 0.45, widths},
	{"ChaCha20-Poly1305-SIV Seal, 16 KiB", "chacha20-poly1305-siv-seal", []int{16 * kiB}, "unimac", "x-crypto", 2.2, afterTheTag},
	{"ChaCha20-Poly1305-SIV Seal, 16 KiB", "chacha20-poly1305-siv-seal", []int{16 * kiB}, "unimac", "unimac-chacha20-blake2b", 4, afterTheTag},
	{"ChaCha20-Poly1305-SIV Seal, 16 KiB, AVX2 alone", "chacha20-poly1305-siv-seal", []int{16 * kiB}, "unimac-avx2", "x-crypto", 1.15, afterTheTag},
	{"ChaCha20-Poly1305-SIV Seal, 64 B", "chacha20-poly1305-siv-seal", []int{64}, "unimac", "x-crypto", 1 / 1.7, fourBlocks},
	{"ChaCha20-Poly1305-SIV Seal, 1420 B", "chacha20-poly1305-siv-seal", packet, "unimac", "x-crypto", 1 / 0.85, afterTheTag},
	{"ChaCha20-Poly1305-SIV SealBatch, 128 packets of 256 B", "chacha20-poly1305-siv-seal-batch", []int{256}, "unimac", "x-crypto", 1 / 0.5, aroundLanes},
	{"ChaCha20-Poly1305-SIV Open, 16 KiB", "chacha20-poly1305-siv-open", []int{16 * kiB}, "unimac", "x-crypto", 2.6, threeMore},
	{"ChaCha20-Poly1305-SIV Open, 16 KiB", "chacha20-poly1305-siv-open", []int{16 * kiB}, "unimac", "unimac-chacha20-blake2b", 4, threeMore},
	{"ChaCha20-Poly1305-SIV Open, 16 KiB, AVX2 alone", "chacha20-poly1305-siv-open", []int{16 * kiB}, "unimac-avx2", "x-crypto", 1.15, threeMore},
	{"ChaCha20-Poly1305-SIV Open, 64 B", "chacha20-poly1305-siv-open", []int{64}, "unimac", "x-crypto", 1 / 1.7, fourBlocks},
	{"ChaCha20-Poly1305-SIV Open, 1420 B", "chacha20-poly1305-siv-open", packet, "unimac", "x-crypto", 1 / 0.85, threeMore},
	{"ChaCha20-Poly1305-SIV OpenBatch, 128 packets of 256 B", "chacha20-poly1305-siv-open-batch", []int{256}, "unimac", "x-crypto", 1 / 0.5, aroundLanes},
	{"stream seal, 64 MiB, one thread", "stream-formats-seal", stream, "unimac-v2", "x-chacha20poly1305", 0.85, blake2bStream},
	{"stream open, 64 MiB, one thread", "stream-formats-open", stream, "unimac-v2", "x-chacha20poly1305", 0.85, blake2bStream},
	{"stream seal, 64 MiB, one thread, AVX2 alone", "stream-formats-seal", stream, "unimac-v2-avx2", "x-chacha20poly1305", 0.85, blake2bStream},
	{"stream open, 64 MiB, one thread, AVX2 alone", "stream-formats-open", stream, "unimac-v2-avx2", "x-chacha20poly1305", 0.85, blake2bStream},
	{"stream seal, 64 MiB, two threads", "stream-formats-seal", stream, "unimac-v2-2threads", "unimac-v2", 1.7, twoThreads},
	{"stream open, 64 MiB, two threads", "stream-formats-open", stream, "unimac-v2-2threads", "unimac-v2", 1.7, twoThreads},
	{"ChunkedChaCha20Poly1305 seal, 64 MiB, one thread", "stream-formats-seal", stream, "unimac", "x-chacha20poly1305", 2.3, fromMemory},
	{"ChunkedChaCha20Poly1305 seal, 64 MiB, one thread, AVX2 alone", "stream-formats-seal", stream, "unimac-avx2", "x-chacha20poly1305", 1.35, sameUnits},
	{"ChunkedChaCha20Poly1305 seal, 64 MiB, two threads", "stream-formats-seal", stream, "unimac-2threads", "unimac", 1.8, twoThreads},
	{"Cobblestone128 seal, 64 MiB, one thread", "stream-formats-seal", stream, "unimac-cobblestone128", "crypto-gcm", 0.95, sameGCM},
	{"Cobblestone128 seal, 64 MiB, one thread", "stream-formats-seal", stream, "unimac-cobblestone128", "pyca", 6, newMemory},
	{"ChunkedChaCha20Poly1305 open, 64 MiB, one thread", "stream-formats-open", stream, "unimac", "x-chacha20poly1305", 2.3, copied},
	{"ChunkedChaCha20Poly1305 open, 64 MiB, one thread, AVX2 alone", "stream-formats-open", stream, "unimac-avx2", "x-chacha20poly1305", 1.35, sameUnits},
	{"ChunkedChaCha20Poly1305 open, 64 MiB, two threads", "stream-formats-open", stream, "unimac-2threads", "unimac", 1.8, twoThreads},
	{"Cobblestone128 open, 64 MiB, one thread", "stream-formats-open", stream, "unimac-cobblestone128", "crypto-gcm", 0.95, sameGCM},
	{"Cobblestone128 open, 64 MiB, one thread", "stream-formats-open", stream, "unimac-cobblestone128", "pyca", 6, newMemory},
	{"SSH, aes128-ctr and umac-128-etm", "ssh", []int{miB}, "umac-128-etm", "hmac-sha2-256-etm", 1.3, twoPasses},
	{"SSH, aes128-ctr and umac-128-etm", "ssh", []int{miB}, "umac-128-etm", "aes128-gcm", 1.05, twoPasses},
	{"AEGIS-128L Seal, 16 to 256 B", "aegis-seal", short, "unimac-128l", "libaegis-128l", 1, aegisPieces},
	{"AEGIS-256 Seal, 16 to 256 B", "aegis-seal", short, "unimac-256", "libaegis-256", 1, aegisPieces},
	{"AEGIS-128L Seal, 16 to 256 B", "aegis-seal", short, "unimac-128l", "aes-128-gcm", 1 / 0.6, aegisPieces},
	{"AEGIS-256 Seal, 16 to 256 B", "aegis-seal", short, "unimac-256", "aes-128-gcm", 1 / 0.6, aegisPieces},
	{"AEGIS-128L Seal, VAES off, 16 and 64 KiB", "aegis-seal", large, "unimac-128l-avx2", "libaegis-128l", 1, aegisRounds},
	{"AEGIS-256 Seal, VAES off, 16 and 64 KiB", "aegis-seal", large, "unimac-256-avx2", "libaegis-256", 1.05, aegisRounds},
	{"AEGIS-128X2 Seal, VAES off, 16 and 64 KiB", "aegis-seal", large, "unimac-128x2-avx2", "unimac-128l-avx2", 0.8, aegisNarrow},
	{"AEGIS-128X4 Seal, VAES off, 16 and 64 KiB", "aegis-seal", large, "unimac-128x4-avx2", "unimac-128l-avx2", 0.8, aegisNarrow},
	{"AEGIS-256X2 Seal, VAES off, 16 and 64 KiB", "aegis-seal", large, "unimac-256x2-avx2", "unimac-256-avx2", 0.8, aegisNarrow},
	{"AEGIS-256X4 Seal, VAES off, 16 and 64 KiB", "aegis-seal", large, "unimac-256x4-avx2", "unimac-256-avx2", 0.8, aegisNarrow},
	{"AEGIS-128X4 Seal, 16 KiB", "aegis-seal", []int{16 * kiB}, "unimac-128x4", "unimac-chacha20poly1305", 8, aegisRounds},
	{"AEGIS-128X4 Seal, 16 KiB", "aegis-seal", []int{16 * kiB}, "unimac-128x4", "aes-128-gcm", 6, aegisRounds},
	{"AEGISMAC-128X4, 16 KiB", "aegis-mac", []int{16 * kiB}, "unimac-128x4", "unimac-umac-128", 1.5, aegisRounds},
	{"ChunkedAEGIS256X2 seal, 64 MiB, one thread", "stream-formats-seal", stream, "unimac-aegis256x2", "libaegis-256x2", 0.85, fromMemory},
}...)

func aegisGoals() (goals []Goal) {
	for _, v := range []struct {
		name string
		long float64
	}{{"128L", 1}, {"128X2", 1}, {"128X4", 1}, {"256", 1.05}, {"256X2", 1.05}, {"256X4", 1}} {
		ours, peer := "unimac-"+strings.ToLower(v.name), "libaegis-"+strings.ToLower(v.name)
		goals = append(goals,
			Goal{"AEGIS-" + v.name + " Seal, 16 and 64 KiB", "aegis-seal", large, ours, peer, v.long, aegisRounds},
			Goal{"AEGIS-" + v.name + " Open, 16 and 64 KiB", "aegis-open", large, ours, peer, v.long, aegisRounds},
			Goal{"AEGIS-" + v.name + " Seal, 1420 B", "aegis-seal", packet, ours, peer, 0.95, aegisPieces},
			Goal{"AEGISMAC-" + v.name + ", 16 to 64 B", "aegis-mac", []int{16, 32, 64}, ours, peer, 1 / 0.6, aegisKeyed},
			Goal{"AEGISMAC-" + v.name + ", 16 KiB", "aegis-mac", []int{16 * kiB}, ours, peer, 1, aegisRounds})
	}
	return goals
}

// A Miss is a goal that a record does not reach.
type Miss struct {
	Goal
	Size     int
	Measured float64
	peer     string // as tables name it
}

// Missed returns the goals that a record does not reach, according to the medians in
// its tables. It omits goals that were not measured.
func (r *Record) Missed() (missed []Miss) {
	for _, g := range Goals {
		m := Miss{Goal: g, Measured: g.Least}
		for _, size := range r.sizes(g) {
			if times := r.Times(g.Contest, g.Ours, g.Peer, size); times < m.Measured {
				m.Size, m.Measured = size, times
				m.peer = r.Contest(g.Contest).Entrant(g.Peer).Label
			}
		}
		if m.Measured < g.Least {
			missed = append(missed, m)
		}
	}
	return missed
}

func (r *Record) sizes(g Goal) []int {
	c := r.Contest(g.Contest)
	if c == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Sizes), func(size int) bool { return g.Sizes != nil && !slices.Contains(g.Sizes, size) })
}

func (r *Record) missed() string {
	missed := r.Missed()
	if len(missed) == 0 {
		return "This run reached all goals.\n"
	}
	var b strings.Builder
	b.WriteString("| work | peer | goal | measured | what decides |\n|---|---|---|---|---|\n")
	for _, m := range missed {
		at := ""
		if len(m.Sizes) != 1 {
			at = " at " + Size(m.Size)
		}
		fmt.Fprintf(&b, "| %s | %s | ≥ %.2f × | %.2f ×%s | %s |\n", m.Work, m.peer, m.Least, m.Measured, at, m.Sentence)
	}
	return b.String()
}

// HasGoal reports whether a goal is about a contest.
func HasGoal(contest string) bool {
	return slices.ContainsFunc(Goals, func(g Goal) bool { return g.Contest == contest })
}
