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

	// MinGroup is the smallest number of packets for which Run may use a group. With
	// fewer packets, Run uses Batch.AEAD for each packet.
	MinGroup = 4
)

// A group seals or opens up to maxLanes packets at once.
type group interface {
	run(packets []groupPacket, opening bool)

	end()
}

// A groupPacket is a packet with the buffers and the nonce that a group uses.
type groupPacket struct {
	*Packet
	nonce []byte

	// dst and src have the same length. They overlap entirely or not at all.
	dst, src, tag []byte
	newDst        []byte // when opening, Dst with the plaintext appended

	// blocks is the number of text blocks to process, or 0 to compute only the keys.
	blocks int

	// received and random are copies because the output may overwrite the originals.
	received, computed [TagSizeSIV]byte // compared when opening
	random             [NonceSizeX]byte // the nonce before the ciphertext
}

// A groupModel describes when a group is faster than processing packets one at a time.
type groupModel struct {
	packets int // smallest number of packets in a call
	text    int // largest length of a packet in bytes
	empty   int // smallest number of packets in a group without text blocks

	// For texts of at least sealKeysOnly or openKeysOnly bytes, a group computes only
	// the keys. The texts are then sealed or opened separately. 0 means that groups
	// process all texts.
	sealKeysOnly, openKeysOnly int

	// A group is used if the time that it saves is at least the time that it adds.
	packet int // time saved per packet
	block  int // time saved per text block
	start  int // time added per group
	step   int // time added per text block of the longest packet
}
