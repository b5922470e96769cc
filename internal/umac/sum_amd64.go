// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useAVX512AES = cpu.AVX512AES()
	useAVX2AES   = cpu.AVX2AES()
	useSSE41AES  = cpu.SSE41AES()

	// These do not change: a Key may be older than what is on.
	hasAVX2AES  = cpu.AVX2AES()
	hasSSE41AES = cpu.SSE41AES()
)

// Sum stores the tag of a message in tag, which has its length. The pad may be kept, too.
func (k *Key) Sum(tag []byte, pad Pad, kept *KeptPad, msg []byte) {
	if len(msg) > impl.MaxCall || !useAVX512AES && !useAVX2AES && !useSSE41AES {
		k.sumInSteps(tag, pad, kept, msg)
		return
	}
	impl.CheckCall(len(msg))
	if useAVX512AES {
		sumAVX512AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	} else if useAVX2AES {
		sumAVX2AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	} else {
		sumSSE41AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	}
}

// SumEach stores the tags of messages under as many nonces, one after the other.
func (k *Key) SumEach(tags []byte, nonces, msgs [][]byte) {
	size := k.size
	for i, msg := range msgs {
		var pad Pad
		if nonce := nonces[i]; len(nonce) == 8 {
			pad = PadOf8(nonce, size)
		} else {
			pad = PadOf(nonce, size)
		}
		tag := tags[:size]
		tags = tags[size:]
		switch {
		case len(msg) > impl.MaxCall || !useAVX512AES && !useAVX2AES:
			k.Sum(tag, pad, nil, msg)
		case useAVX512AES:
			sumAVX512AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
		default:
			sumAVX2AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
		}
	}
}

// canSumFour reports whether sumFour may be called. Its one kernel is that of AVX2: for a
// short message AVX-512 gains nothing, and four of 1024 bytes take as long as by Sum.
func canSumFour() bool { return useAVX512AES || useAVX2AES }

// sumFour stores the tags of four messages of at most one chunk each.
func sumFour(tags []byte, k *keys, four *[4]message) {
	impl.CheckCall(four[0].n + four[1].n + four[2].n + four[3].n)
	sumFourAVX2AES(unsafe.SliceData(tags), k, four)
}

// canEncrypt reports whether encrypt may be called.
func canEncrypt() bool { return useAVX512AES || useAVX2AES || useSSE41AES }

// encrypt encrypts blocks in their place.
func encrypt(blocks *[kernelBlocks * 16]byte, k *roundKeys) {
	impl.CheckCall(len(blocks))
	if useAVX512AES || useAVX2AES {
		encryptAVX2AES(blocks, k)
	} else {
		encryptSSE41AES(blocks, k)
	}
}

// expand expands a key for the kernels.
func (r *roundKeys) expand(key []byte) {
	switch {
	case hasAVX2AES:
		r.set(key, func(w uint32) uint32 { return subWordAVX2AES(w) })
	case hasSSE41AES:
		r.set(key, func(w uint32) uint32 { return subWordSSE41AES(w) })
	}
}
