// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64)

package umac

func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	nhGeneric(values, key, chunk, streams)
}

func nhPoly(st *polyState, u *uhashKey, chunks []byte) {
	nhPolyGeneric(st, u, chunks)
}

// Sum stores the tag of msg in tag, as on amd64.
func (k *Key) Sum(tag []byte, pad Pad, cached *CachedPad, msg []byte) {
	k.sumInSteps(tag, pad, cached, msg)
}

// SumEach computes the tag of each message, using nonces[i] for msgs[i], and stores the
// tags consecutively in tags.
func (k *Key) SumEach(tags []byte, nonces, msgs [][]byte) {
	for i, msg := range msgs {
		k.Sum(tags[i*k.size:][:k.size], PadOf(nonces[i], k.size), nil, msg)
	}
}

func maxOfFour(int) int { return -1 }

func sumFour([]byte, *keys, *[4]message) { panic("umac: no kernel for four messages") }

func (r *roundKeys) expand([]byte) {}

func canEncrypt() bool { return false }

func encrypt(*[kernelBlocks * 16]byte, *roundKeys) { panic("umac: no kernel that encrypts") }
