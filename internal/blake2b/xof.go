// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import "encoding/binary"

// An Expansion generates the output of BLAKE2Xb (J. Aumasson et al., "BLAKE2X", 2016).
// The output consists of 64-byte nodes, which can be computed independently; the last
// node may be shorter. Each node is a BLAKE2b digest of the root, and the root is the
// BLAKE2b digest of the message.
type Expansion struct {
	Root   [MaxSize]byte
	Length uint32 // total output length in bytes, as encoded in the parameter block
}

// BeginXOF is [Begin] for the root of an output of length bytes.
func BeginXOF(length uint32, key []byte) State {
	s := Begin(MaxSize, key)
	s.h[1] ^= uint64(length) << 32
	return s
}

// initChain sets h to the initial chain value of an output node: the IV XORed with the
// node's parameter block.
func (e *Expansion) initChain(h *[8]uint64, node uint32, size int) {
	const leaf, inner = MaxSize, MaxSize
	*h = iv
	h[0] ^= uint64(size) | leaf<<32
	h[1] ^= uint64(node) | uint64(e.Length)<<32
	h[2] ^= inner << 8
}

// Node sets dst[:size] to the given output node. size must be 64 for every node except
// the last, which may be shorter.
func (e *Expansion) Node(dst *[MaxSize]byte, node uint32, size int) {
	var h [8]uint64
	var block [BlockSize]byte
	copy(block[:], e.Root[:])
	e.initChain(&h, node, size)
	compressLast(&h, &block, MaxSize)
	storeWords(dst[:], &h)
}

// Nodes fills dst with whole 64-byte nodes, starting with the given node.
func (e *Expansion) Nodes(dst []byte, node uint32) {
	width := laneCount()
	for len(dst) >= MaxSize {
		n := min(len(dst)/MaxSize, width)
		if !oneBlockInLanes(n) {
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
			e.initChain(&h, node+uint32(i), MaxSize)
			size := uint64(MaxSize)
			l.load(i, &h, size-BlockSize) // the kernel counts a whole block
			l.blocks[i] = &block[0]
		}
		compressLanes(&l, n, BlockSize, ^uint64(0))
		for i := range n {
			l.store(i, &h)
			storeWords(dst[i*MaxSize:], &h)
		}
		dst = dst[n*MaxSize:]
		node += uint32(n)
	}
}

func storeWords(dst []byte, h *[8]uint64) {
	_ = dst[MaxSize-1]
	for i, v := range h {
		binary.LittleEndian.PutUint64(dst[8*i:], v)
	}
}
