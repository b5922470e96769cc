// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 || arm64

package contracts

import (
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/proven"
)

func TestMain(m *testing.M) { proven.Main(m) }

// called calls Check for a kernel, given the kernel's name in PROVEN.md, and returns
// the message of Check's panic.
func called(t *testing.T, name string, arguments ...any) (said string) {
	t.Helper()
	for i := range proof.Kernels {
		if k := &proof.Kernels[i]; k.Name() == name {
			defer func() { said, _ = recover().(string) }()
			Check(k.File, k.Func, arguments...)
			return
		}
	}
	t.Fatalf("no kernel %s", name)
	return
}

// refused checks that a call was rejected for a reason.
func refused(t *testing.T, what, said, reason string) {
	t.Helper()
	if !strings.Contains(said, reason) {
		t.Errorf("%s: Check panicked with %q, want %q", what, said, reason)
	}
}

func allowed(t *testing.T, what, said string) {
	t.Helper()
	if said != "" {
		t.Errorf("%s: Check panicked with %q, want no panic", what, said)
	}
}

// TestLengths checks calls with lengths that are proven and with other lengths.
func TestLengths(t *testing.T) {
	dst, src := make([]byte, 1<<17), make([]byte, 1<<17)
	var key [32]byte
	var nonce [8]byte
	for _, n := range []int{1, 64, 65, 64 << 10} {
		allowed(t, fmt.Sprint(n, " bytes"), called(t, "chacha20 xorAVX2", &dst[0], &src[0], n, &key, &nonce, uint64(0)))
	}
	for _, n := range []int{-1, 0, 64<<10 + 1} {
		refused(t, fmt.Sprint(n, " bytes"), called(t, "chacha20 xorAVX2", &dst[0], &src[0], n, &key, &nonce, uint64(0)), "arguments[16]: n is")
	}
	var values [4]uint64
	var nh [5 * 512]byte
	allowed(t, "1 stream", called(t, "umac nhAVX2", &values, &nh, &src[0], 1024, 1))
	refused(t, "5 streams", called(t, "umac nhAVX2", &values, &nh, &src[0], 1024, 5), "want 0x4")
	nh[512] = 1 // row 1 must repeat row 0 from byte 16 on, unless it is unused
	nh[512+16] = 1
	refused(t, "rows differ", called(t, "umac nhAVX2", &values, &nh, &src[0], 1024, 4), "key[1536]: 0x0, want 0x1")
}

// TestApart checks calls with overlapping buffers.
func TestApart(t *testing.T) {
	text := make([]byte, 1024)
	var key [32]byte
	var nonce [8]byte
	xor := func(dst, src int) string {
		return called(t, "chacha20 xorAVX2", &text[dst], &text[src], 256, &key, &nonce, uint64(0))
	}
	allowed(t, "apart", xor(0, 256))
	allowed(t, "apart, dst after src", xor(256, 0))
	allowed(t, "in place", xor(0, 0))
	refused(t, "dst 1 byte after src", xor(1, 0), "src and dst overlap, 1 bytes apart")
	refused(t, "src 255 bytes after dst", xor(0, 255), "overlap")
	refused(t, "nil dst", called(t, "chacha20 xorAVX2", (*byte)(nil), &text[0], 256, &key, &nonce, uint64(0)), "nil")

	var tag, iv [16]byte
	short := func(dst int) string {
		return called(t, "chacha20poly1305 shortAVX512IFMA", &tag, &text[dst], &text[64], 64, &text[512], 16, &key, &iv, 0)
	}
	allowed(t, "packet in place", short(64))
	allowed(t, "no additional data, in dst", called(t, "chacha20poly1305 shortAVX512IFMA", &tag, &text[64], &text[64], 64, &text[72], 0, &key, &iv, 0))
	refused(t, "packet with dst 1 byte before src", short(63), "overlap")

	var out [64]byte
	allowed(t, "digest over the key", called(t, "multimixer sumAVX2", &out, &out[0], &text[0], 32))
	refused(t, "h over its blocks", called(t, "blake2b compressAVX2", (*[8]uint64)(unsafe.Pointer(&text[0])), &text[32], 128, uint64(0), uint64(0)), "overlap")
}

// TestAddresses checks that an empty buffer may have any address below 2^63, such as
// nil, an output's address or an unmapped address. A buffer that is not empty must not
// be nil and must end below 2^63.
func TestAddresses(t *testing.T) {
	address := func(a uint64) *byte { return *(**byte)(unsafe.Pointer(&a)) }
	keys, text := make([]uint64, 1024), make([]byte, 64)
	const streams, rounds = 5 * 512 / 8, 5*512/8 + 1 + 3*4 + 4*4 + 4*9 // see package umac's struct keys
	keys[streams], keys[rounds] = 1, 10
	keys[streams+1+8] = 59 // POLY-64's k + 59
	sum := func(msg *byte, n int) string {
		return called(t, "umac sumAVX2AES", &text[0], &keys[0], uint64(0), uint64(0), 0, msg, n)
	}
	const highest = 1<<63 - 1
	for name, msg := range map[string]*byte{
		"nil": nil, "the tag's address": &text[0], "the keys' address": (*byte)(unsafe.Pointer(&keys[0])),
		"address 1": address(1), "the highest address": address(highest),
	} {
		allowed(t, name+", empty message", sum(msg, 0))
	}
	refused(t, "nil, one byte", sum(nil, 1), "msg is nil and has 1 bytes")
	refused(t, "empty message at 2^63", sum(address(highest+1), 0), "not below 2^63")
	allowed(t, "one byte that ends at the highest address", sum(address(highest-1), 1))
	refused(t, "one byte at the highest address", sum(address(highest), 1), "not below 2^63")

	// Buffers that are never empty must not be nil.
	refused(t, "nil tag", called(t, "umac sumAVX2AES", (*byte)(nil), &keys[0], uint64(0), uint64(0), 0, &text[0], 1), "tag is nil")
}

// TestAllocations passes memory that is shorter than the function reads or writes.
func TestAllocations(t *testing.T) {
	heap := func(n int) *byte { return unsafe.SliceData(make([]byte, n)) }
	var live [][]byte
	defer func() { runtime.KeepAlive(live) }()
	// short allocates n bytes and another allocation that contains p[size-1]. The runtime
	// throws if checkptrBase gets an address in memory that is not in use.
	short := func(n int, size uintptr) (p *byte) {
		for {
			next := make([]byte, n)
			live = append(live, next)
			start := uintptr(unsafe.Pointer(unsafe.SliceData(next)))
			for _, other := range live {
				p := unsafe.SliceData(other)
				if at := uintptr(unsafe.Pointer(p)) + size - 1 - start; len(other) == n && at < uintptr(n) {
					return p
				}
			}
		}
	}
	nonce := [8]byte{}
	xor := func(dst, src, key *byte) string {
		return called(t, "chacha20 xorAVX2", dst, src, 4096, key, &nonce, uint64(0))
	}
	allowed(t, "sufficient sizes", xor(heap(4096), heap(4096), heap(32)))
	refused(t, "key of 8 bytes", xor(heap(4096), heap(4096), short(8, 32)), "key has 32 bytes, which no allocation contains")
	refused(t, "key of 24 bytes", xor(heap(4096), heap(4096), short(24, 32)), "key has 32 bytes")
	refused(t, "last 24 bytes of a key", xor(heap(4096), heap(4096), (*byte)(unsafe.Add(unsafe.Pointer(short(32, 40)), 8))), "key has 32 bytes")
	refused(t, "src of 2 KiB", xor(heap(4096), short(2048, 4096), heap(32)), "src has 4096 bytes")
	refused(t, "dst of 2 KiB", xor(short(2048, 4096), heap(4096), heap(32)), "dst has 4096 bytes")
}

// TestLies checks calls in which the hashed text precedes the output in the same
// buffer.
func TestLies(t *testing.T) {
	text := make([]byte, 1<<14)
	var h [8]uint64
	var key [32]byte
	var nonce [8]byte
	fused := func(blocks int) string {
		return called(t, "chacha20blake2b compressXORAVX512", &h, &text[blocks], uint64(0), &text[8192], &text[8192], 2048, &key, &nonce, uint64(0))
	}
	allowed(t, "blocks before dst", fused(8192-768))
	refused(t, "blocks too close to dst", fused(8192-767), "overlap, -767 bytes apart")
	refused(t, "blocks in the last byte of dst", fused(8192+2048-1), "overlap")
}

// TestStates checks calls with keys and states that are within bounds and out of
// bounds.
func TestStates(t *testing.T) {
	msg := make([]byte, 16)
	type state struct {
		h [3]uint64
		r [2]uint64
	}
	for what, tt := range map[string]struct {
		s      state
		reason string
	}{
		"in bounds":     {state{[3]uint64{1, 2, 7}, [2]uint64{1<<60 - 1, 1<<60 - 4}}, ""},
		"h too large":   {state{[3]uint64{1, 2, 8}, [2]uint64{1, 4}}, "s[16]: h2 is 0x8"},
		"r0 too large":  {state{[3]uint64{}, [2]uint64{1 << 60, 4}}, "s[24]: r0"},
		"r1 unclamped":  {state{[3]uint64{}, [2]uint64{1, 5}}, "s[32]"},
		"r1 too large":  {state{[3]uint64{}, [2]uint64{1, 1 << 60}}, "s[32]"},
		"all bits of r": {state{[3]uint64{}, [2]uint64{^uint64(0), ^uint64(0)}}, "s[24]"},
	} {
		said := called(t, "poly1305 blocksAMD64", (*byte)(unsafe.Pointer(&tt.s)), &msg[0], 1)
		if tt.reason == "" {
			allowed(t, what, said)
		} else {
			refused(t, what, said, tt.reason)
		}
	}
}

// TestCongruence checks that a table of powers is rejected if one entry is wrong.
func TestCongruence(t *testing.T) {
	prime := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	r, _ := new(big.Int).SetString("0ffffffc0ffffffc0ffffffc0fffff01", 16)
	s := [5]uint64{3: 0x0ffffffc0fffff01, 4: 0x0ffffffc0ffffffc} // h and r
	var table [81]uint64
	for lane, n := range []int64{4, 2, 3, 1, 8} {
		power := new(big.Int).Exp(r, big.NewInt(n), prime)
		for i := range 5 {
			limb := new(big.Int).Rsh(power, uint(26*i)).Uint64()
			if i < 4 {
				limb &= 1<<26 - 1
			}
			table[5*i+lane] = limb
			if i > 0 {
				table[5*(i+4)+lane] = 5 * limb
			}
		}
	}
	msg := make([]byte, 64)
	blocks := func() string {
		return called(t, "poly1305 blocksAVX2", (*byte)(unsafe.Pointer(&s)), &table[0], &msg[0], 4)
	}
	allowed(t, "powers of r", blocks())
	for _, lane := range []int{0, 1, 2, 4} {
		table[lane] ^= 1
		refused(t, fmt.Sprint("entry ", lane), blocks(), "is not congruent")
		table[lane] ^= 1
	}
	table[5*5]++
	refused(t, "5 times a limb", blocks(), "table[200]")

	// The key table contains the POLY-64 key k, k² and k + 59.
	var state [8]uint64
	var nh [5 * 512]byte
	k := uint64(0x0123456701234567)
	square := new(big.Int).Mul(new(big.Int).SetUint64(k), new(big.Int).SetUint64(k))
	square.Mod(square, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(59)))
	key := [12]uint64{0: k, 4: square.Uint64(), 8: k + 59}
	chunk := make([]byte, 1024)
	poly := func() string { return called(t, "umac nhPolyAVX2", &state, &nh, &key, &chunk[0], len(chunk), 1) }
	allowed(t, "k squared", poly())
	key[4]++
	refused(t, "k squared plus 1", poly(), "is not congruent")
}

// TestMemory checks calls in which messages of different lengths are passed through
// pointers in memory.
func TestMemory(t *testing.T) {
	type message struct {
		lo, hi, at uint64
		msg        *byte
		n          int
	}
	tags, keys, text := make([]byte, 2048), make([]uint64, 1024), make([]byte, 2048)
	const streams, rounds = 5 * 512 / 8, 5*512/8 + 1 + 3*4 + 4*4 + 4*9 // see package umac's struct keys
	keys[streams] = 1
	keys[rounds] = 14
	messages := [4]message{}
	for i := range messages {
		messages[i] = message{lo: 1, hi: 2, at: uint64(4 * i), msg: &text[0], n: 1024 - i}
	}
	sum := func() string {
		return called(t, "umac sumFourAVX2AES", &tags[0], &keys[0], (*byte)(unsafe.Pointer(&messages)))
	}
	// POLY-64's keys are k, k² and k + 59.
	keys[streams+1+8] = 59
	allowed(t, "four messages", sum())
	messages[2].n = 1025
	refused(t, "message longer than a chunk", sum(), "n2 is 0x401")
	messages[2].n, messages[3].at = 0, 5
	refused(t, "pad offset between words", sum(), "is no")
	messages[3].at, messages[1].msg = 0, nil
	refused(t, "nil message", sum(), "msg1 is nil")
	messages[1].msg = &tags[1]
	refused(t, "message that overlaps the tags", sum(), "overlap")
}
