// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"errors"
	"sync"
	"unsafe"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

// A Packet is one message of a batch.
type Packet struct {
	// Dst is where the result is appended, and then the result with what Dst had before.
	// Its spare capacity is used if it is enough: then nothing is allocated. Of a packet that
	// OpenBatch refuses, Dst stays as it was. To use the memory of a result again, set Dst to
	// Dst[:0]. What Dst has already may be in another packet's output, as where results lie one
	// after the other in one buffer, if there is room: without, it is copied, before or after
	// the other packet is done.
	Dst []byte

	// Nonce has the AEAD's nonce size. Each packet that is sealed needs a different one.
	Nonce []byte

	// Text is the plaintext to seal, or the ciphertext with its tag to open.
	Text []byte

	// AdditionalData is authenticated and not encrypted.
	AdditionalData []byte

	// OK reports whether OpenBatch found the packet authentic. SealBatch leaves it alone.
	OK bool
}

// errRefused is the error of OpenBatch.
var errRefused = errors.New("chacha20poly1305: message authentication failed for a packet of the batch")

// SealBatch seals each packet: p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData). Packets
// for the AEADs of this package share a key, so if there is a kernel for it, the lanes of the
// processor's vectors work on several at once. Any other AEAD works, too.
//
// It panics where Seal would, and if an output overlaps another packet's output, text, nonce or
// additional data. Then no packet is sealed, except with an AEAD of another package.
func SealBatch(a cipher.AEAD, packets []Packet) {
	var s scheme
	s.set(a)
	s.check(packets, s.overhead, false)
	switch {
	case s.random != nil:
		s.random.sealAll(packets)
	case s.key != nil:
		kernel.SealAll(s.kind, s.key, asKernels(packets))
	default:
		for i := range packets {
			p := &packets[i]
			p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData)
		}
	}
}

// OpenBatch opens each packet like a.Open, appends the plaintexts to each Dst, and returns how
// many packets were authentic. If any was refused, it returns an error, too; each packet's OK
// says whether it is authentic. Of those refused Dst is unchanged; where their plaintexts would
// be there may be zeros, as after Open.
//
// It panics where Open would, and otherwise like [SealBatch].
func OpenBatch(a cipher.AEAD, packets []Packet) (opened int, err error) {
	var s scheme
	s.set(a)
	s.check(packets, -s.overhead, true)
	switch {
	case s.random != nil:
		opened = s.random.openAll(packets)
	case s.key != nil:
		opened = kernel.OpenAll(s.kind, s.key, asKernels(packets))
	default:
		for i := range packets {
			p := &packets[i]
			dst, err := a.Open(p.Dst, p.Nonce, p.Text, p.AdditionalData)
			if p.OK = err == nil; p.OK {
				p.Dst = dst
				opened++
			}
		}
	}
	if opened < len(packets) {
		return opened, errRefused
	}
	return opened, nil
}

// A scheme is an AEAD as batches see it. The key is nil if it is of another package.
type scheme struct {
	kind                kernel.Kind
	key                 *[KeySize]byte
	random              *randomNonceAEAD
	nonceSize, overhead int
}

// set sets fields one by one: a literal would be copied, in wide pieces right after it was
// written in narrow ones, for which the processor waits.
func (s *scheme) set(a cipher.AEAD) {
	switch a := a.(type) {
	case *chachaAEAD:
		s.kind, s.key, s.nonceSize, s.overhead = kernel.ChaCha20, &a.key, NonceSize, Overhead
	case *xchachaAEAD:
		s.kind, s.key, s.nonceSize, s.overhead = kernel.XChaCha20, &a.key, NonceSizeX, Overhead
	case *sivAEAD:
		s.kind, s.key, s.nonceSize, s.overhead = kernel.SIV, &a.key, NonceSizeSIV, OverheadSIV
	case *randomNonceAEAD:
		s.kind, s.key, s.overhead, s.random = kernel.XChaCha20, &a.key, NonceSizeX+Overhead, a
	default:
		s.nonceSize, s.overhead = a.NonceSize(), a.Overhead()
	}
}

// asKernels returns packets as the kernels name them, in the same memory. The conversion of the
// pointer compiles only while both are laid out in the same way.
func asKernels(packets []Packet) []kernel.Packet {
	return unsafe.Slice((*kernel.Packet)(unsafe.SliceData(packets)), len(packets))
}

// check panics where Seal or Open would, and if an output overlaps something of another packet. An
// output has so many bytes more than the text.
func (s *scheme) check(packets []Packet, more int, opening bool) {
	if len(packets) == 0 {
		return
	}
	last := &packets[len(packets)-1]
	all := alias.SpanAfter(packets[0].Dst, 0).To(alias.SpanAfter(last.Dst, len(last.Text)+more))
	var bad, near int64
	before := alias.SpanAfter(packets[0].Dst, 0)
	for i := range packets {
		p := &packets[i]
		if s.key != nil && (len(p.Nonce) != s.nonceSize || uint64(len(p.Text)) > kernel.MaxLength) {
			if opening {
				checkOpen(len(p.Nonce), s.nonceSize, len(p.Text), s.overhead)
			} else {
				checkSeal(len(p.Nonce), s.nonceSize, len(p.Text))
			}
		}
		n := len(p.Text) + more
		if n <= 0 || n > cap(p.Dst)-len(p.Dst) {
			near = -1
			continue
		}
		// Mostly the outputs are in the order of their addresses, and what else a packet has is in none
		// of them, or between the one before and the one after its own.
		out, text, data, nonce := alias.SpanAfter(p.Dst, n), alias.SpanOf(p.Text), alias.SpanOf(p.AdditionalData), alias.SpanOf(p.Nonce)
		after := all
		if i+1 < len(packets) {
			after = alias.SpanAfter(packets[i+1].Dst, 0)
		}
		own := before.To(after)
		bad |= out.MeetsInexactly(text) | out.Meets(data)
		near |= own.Lacks(out) | all.Meets(text)&own.Lacks(text) | all.Meets(data)&own.Lacks(data) | all.Meets(nonce)&own.Lacks(nonce)
		before = out.End()
	}
	if bad < 0 {
		s.checkOwn(packets, more)
	}
	if near < 0 {
		checkOthers(packets, more)
	}
}

// outputsPool spares allocations.
var outputsPool = sync.Pool{New: func() any { return new(alias.Outputs) }}

// checkOthers is the second part of check, for outputs anywhere.
func checkOthers(packets []Packet, more int) {
	memory := outputsPool.Get().(*alias.Outputs)
	defer outputsPool.Put(memory)
	outputs := (*memory)[:0]
	for i := range packets {
		p := &packets[i]
		// Where there is no room, the output gets memory of its own.
		if n := len(p.Text) + more; 0 < n && n <= cap(p.Dst)-len(p.Dst) {
			outputs = append(outputs, alias.OutputAfter(p.Dst, n, i))
		}
	}
	*memory = outputs
	if !outputs.Apart() {
		panic("chacha20poly1305: invalid buffer overlap of two outputs")
	}
	all := outputs.All()
	for i := range packets {
		p := &packets[i]
		if all.Meets(alias.SpanOf(p.Text))|all.Meets(alias.SpanOf(p.AdditionalData))|all.Meets(alias.SpanOf(p.Nonce)) >= 0 {
			continue
		}
		switch {
		case outputs.Meet(i, p.Text):
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's input")
		case outputs.Meet(i, p.AdditionalData):
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's additional data")
		case outputs.Meet(i, p.Nonce):
			panic("chacha20poly1305: invalid buffer overlap of output and another packet's nonce")
		}
	}
}

// checkOwn panics if a packet's output overlaps what it has itself as it must not. A plaintext may
// overlap the tag that it came with, except with random nonces.
func (s *scheme) checkOwn(packets []Packet, more int) {
	for i := range packets {
		p := &packets[i]
		if n := len(p.Text) + more; 0 < n && n <= cap(p.Dst)-len(p.Dst) {
			text := p.Text
			if s.random == nil {
				text = text[:min(n, len(text))]
			}
			checkOverlap(p.Dst[len(p.Dst):][:n], text, p.AdditionalData)
		}
	}
}
