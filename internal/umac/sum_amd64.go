// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// Sum stores the tag of msg in tag, which must be k.Size() bytes long. If cached is not
// nil, the caller must have called cached.Set(pad).
func (k *Key) Sum(tag []byte, pad Pad, cached *CachedPad, msg []byte) {
	p := sumPath.Choose(len(msg))
	if len(msg) > dispatch.MaxCall || p == cpu.Generic {
		k.sumInSteps(tag, pad, cached, msg)
		return
	}
	dispatch.CheckCall(len(msg))
	switch p {
	case cpu.AVX512AES:
		sumAVX512AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	case cpu.AVX2AES:
		sumAVX2AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	case cpu.SSE41AES:
		sumSSE41AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
	}
}

// SumEach computes the tag of each message, using nonces[i] for msgs[i], and stores the
// tags consecutively in tags.
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
		p := sumPath.Choose(len(msg))
		if len(msg) > dispatch.MaxCall || p < cpu.AVX2AES {
			k.Sum(tag, pad, nil, msg)
			continue
		}
		dispatch.CheckCall(len(msg))
		switch p {
		case cpu.AVX512AES:
			sumAVX512AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
		case cpu.AVX2AES:
			sumAVX2AES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
		}
	}
}

// maxOfFour returns the maximum message length at which sumFour is faster than four
// calls to Sum, or -1 if it never is.
func maxOfFour(streams int) int {
	if t := fourPaths[streams].Thresholds(&choice); t[0].Path == cpu.AVX2AES {
		return t[0].Max
	}
	return -1
}

func sumFour(tags []byte, k *keys, four *[4]message) {
	dispatch.CheckCall(four[0].n + four[1].n + four[2].n + four[3].n)
	if choice.Level < cpu.AVX2AES {
		panic("umac: no kernel for four messages")
	}
	sumFourAVX2AES(unsafe.SliceData(tags), k, four)
}

func canEncrypt() bool { return choice.Level >= cpu.SSE41AES }

func encrypt(blocks *[kernelBlocks * 16]byte, k *roundKeys) {
	dispatch.CheckCall(len(blocks))
	switch choice.Level {
	case cpu.AVX512AES, cpu.AVX2AES:
		encryptAVX2AES(blocks, k)
	case cpu.SSE41AES:
		encryptSSE41AES(blocks, k)
	}
}

func (r *roundKeys) expand(key []byte) {
	switch {
	case startLevel >= cpu.AVX2AES:
		r.set(key, func(w uint32) uint32 { return subWordAVX2AES(w) })
	case startLevel == cpu.SSE41AES:
		r.set(key, func(w uint32) uint32 { return subWordSSE41AES(w) })
	}
}
