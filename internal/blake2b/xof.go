// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import "encoding/binary"

// An Expansion is the output of BLAKE2Xb (J. Aumasson et al., "BLAKE2X", 2016): node
// after node of 64 bytes, each a BLAKE2b of the root, which is the digest of a message.
// Nodes do not depend on each other.
type Expansion struct {
	Root   [MaxSize]byte
	Length uint32 // of the whole output in bytes, as the parameter block has it
}

// BeginXOF is [Begin] for the root of an output of length bytes.
func BeginXOF(length uint32, key []byte) State {
	s := Begin(MaxSize, key)
	s.h[1] ^= uint64(length) << 32
	return s
}

// start sets h to a node's first chain value: IV and the parameter block of a leaf in a
// tree without inner nodes, whose digest has size bytes.
func (e *Expansion) start(h *[8]uint64, node uint32, size int) {
	const leaf, inner = MaxSize, MaxSize
	*h = iv
	h[0] ^= uint64(size) | leaf<<32
	h[1] ^= uint64(node) | uint64(e.Length)<<32
	h[2] ^= inner << 8
}

// Node sets the first size bytes of dst to those of a node, which has no more.
func (e *Expansion) Node(dst *[MaxSize]byte, node uint32, size int) {
	var h [8]uint64
	var block [BlockSize]byte
	copy(block[:], e.Root[:])
	e.start(&h, node, size)
	compressLast(&h, &block, MaxSize)
	put(dst[:], &h)
}

// Nodes sets dst, whose length is a multiple of 64, to whole nodes from one on. It
// works on several at once.
func (e *Expansion) Nodes(dst []byte, node uint32) {
	width := laneCount()
	for len(dst) >= MaxSize {
		n := min(len(dst)/MaxSize, width)
		if n < minOnce() {
			e.Node((*[MaxSize]byte)(dst), node, MaxSize)
			dst = dst[MaxSize:]
			node++
			continue
		}
		var l lanes
		var h [8]uint64
		var block [BlockSize]byte
		copy(block[:], e.Root[:])
		for i := range n {
			e.start(&h, node+uint32(i), MaxSize)
			size := uint64(MaxSize)
			l.load(i, &h, size-BlockSize) // the kernel counts a whole block
			l.blocks[i] = &block[0]
		}
		compressLanes(&l, n, BlockSize, ^uint64(0))
		for i := range n {
			l.store(i, &h)
			put(dst[i*MaxSize:], &h)
		}
		dst = dst[n*MaxSize:]
		node += uint32(n)
	}
}

// put writes a chain value as bytes.
func put(dst []byte, h *[8]uint64) {
	_ = dst[MaxSize-1]
	for i, v := range h {
		binary.LittleEndian.PutUint64(dst[8*i:], v)
	}
}
