// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import "github.com/unimac/unimac/internal/alias"

// A Kind is an AEAD that seals and opens packets under one key.
type Kind uint8

const (
	ChaCha20  Kind = iota // ChaCha20-Poly1305
	XChaCha20             // XChaCha20-Poly1305
	SIV                   // ChaCha20-Poly1305-SIV
)

// A Packet is one of several messages to seal or open under the same key. The result is
// appended to Dst. Package alias documents which buffers may overlap.
type Packet = alias.Packet

const (
	maxLanes = 16

	// A group processes texts of at most maxLaneText bytes, with at most maxLaneAD
	// bytes of additional data.
	maxLaneText = 1984
	maxLaneAD   = 16

	// MinGroup is the smallest number of packets that may form a group. If there are
	// fewer, Run passes each packet to the AEAD.
	MinGroup = 4
)

// A group processes up to maxLanes packets at once, with the kernels of one level
// (cpu.Level).
type group interface {
	run(packets []groupPacket, opening bool)

	end()
}

// A groupPacket is a packet with the buffers and the nonce that a group uses.
type groupPacket struct {
	*Packet
	nonce []byte

	// dst and src have the same length and overlap entirely or not at all. newDst is
	// used only for opening. It contains the old Dst followed by the plaintext.
	dst, src, tag, newDst []byte

	// blocks is the number of text blocks to process. If it is 0, the group only
	// computes keys.
	blocks int

	// received and computed are the tags to compare when opening. random is the random
	// nonce that precedes the ciphertext. received and random are copies, because
	// writing the output may overwrite the originals.
	received, computed [TagSizeSIV]byte
	random             [NonceSizeX]byte
}

// A groupModel describes when processing packets in a group is faster than processing
// them one at a time.
type groupModel struct {
	packets int // smallest number of packets in a call
	text    int // largest length of a packet in bytes
	empty   int // smallest number of packets in a group without text blocks

	// sealKeysOnly and openKeysOnly are the minimum text lengths, in bytes, for which a
	// group computes only the packet's keys and leaves the text to be sealed or opened
	// separately. 0 means that groups always process the text.
	sealKeysOnly, openKeysOnly int

	// Processing n packets in a group pays off if the time saved is at least the time
	// added. The time saved is packet*n + block*blocks, where blocks is the total
	// number of text blocks. The time added is start + step*longest, where longest is
	// the number of text blocks in the longest packet.
	packet, block, start, step int
}
