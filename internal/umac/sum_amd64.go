// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

// Sum stores the tag of a message in tag, which has its length. The pad may be kept, too.
func (k *Key) Sum(tag []byte, pad Pad, kept *KeptPad, msg []byte) {
	if len(msg) > impl.MaxCall || on.Level < cpu.SSE41AES {
		k.sumInSteps(tag, pad, kept, msg)
		return
	}
	impl.CheckCall(len(msg))
	switch sumLevel(len(msg)) {
	case cpu.AVX512AES:
		sumAVX512AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	case cpu.AVX2AES:
		sumAVX2AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	case cpu.SSE41AES:
		sumSSE41AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	}
}

// sumLevel is the level whose kernel a message of so many bytes takes.
func sumLevel(n int) cpu.Level {
	if on.Level == cpu.AVX512AES && n < table[on.Kind].sum {
		return cpu.AVX2AES
	}
	return on.Level
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
		switch level := sumLevel(len(msg)); {
		case len(msg) > impl.MaxCall || level < cpu.AVX2AES:
			k.Sum(tag, pad, nil, msg)
		case level == cpu.AVX512AES:
			sumAVX512AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
		case level == cpu.AVX2AES:
			sumAVX2AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
		}
	}
}

// mostOfFour is how many bytes a message has at most that gains by sumFour, or -1. Its one kernel is
// that of AVX2: for a short message AVX-512 gains nothing, and four of 1024 bytes take as long as by Sum.
func mostOfFour(streams int) int {
	if on.Level < cpu.AVX2AES {
		return -1
	}
	return table[on.Kind].four[streams]
}

// sumFour stores the tags of four messages of at most one chunk each.
func sumFour(tags []byte, k *keys, four *[4]message) {
	impl.CheckCall(four[0].n + four[1].n + four[2].n + four[3].n)
	sumFourAVX2AES(unsafe.SliceData(tags), k, four)
}

// canEncrypt reports whether encrypt may be called.
func canEncrypt() bool { return on.Level >= cpu.SSE41AES }

// encrypt encrypts blocks in their place.
func encrypt(blocks *[kernelBlocks * 16]byte, k *roundKeys) {
	impl.CheckCall(len(blocks))
	switch on.Level {
	case cpu.AVX512AES, cpu.AVX2AES:
		encryptAVX2AES(blocks, k)
	case cpu.SSE41AES:
		encryptSSE41AES(blocks, k)
	}
}

// expand expands a key for the kernels.
func (r *roundKeys) expand(key []byte) {
	switch {
	case has >= cpu.AVX2AES:
		r.set(key, func(w uint32) uint32 { return subWordAVX2AES(w) })
	case has == cpu.SSE41AES:
		r.set(key, func(w uint32) uint32 { return subWordSSE41AES(w) })
	}
}
