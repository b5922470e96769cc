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

// Sum stores the tag of a message in tag, which has its length. The pad may be kept, too.
func (k *Key) Sum(tag []byte, pad Pad, kept *KeptPad, msg []byte) { k.sumInSteps(tag, pad, kept, msg) }

// SumEach stores the tags of messages under as many nonces, one after the other.
func (k *Key) SumEach(tags []byte, nonces, msgs [][]byte) {
	for i, msg := range msgs {
		k.Sum(tags[i*k.size:][:k.size], PadOf(nonces[i], k.size), nil, msg)
	}
}

// mostOfFour is -1: there is no kernel for four messages.
func mostOfFour(int) int { return -1 }

func sumFour([]byte, *keys, *[4]message) { panic("umac: no kernel for four messages") }

// expand is for kernels that there are none of.
func (r *roundKeys) expand([]byte) {}

// canEncrypt is false: there is no kernel that encrypts and nothing else.
func canEncrypt() bool { return false }

func encrypt(*[kernelBlocks * 16]byte, *roundKeys) { panic("umac: no kernel that encrypts") }
