// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"errors"
	"hash"
	"io"
	"math"

	"github.com/unimac/unimac/internal/blake2b"
)

// XOF is a hash whose output can be any length. The values returned by [NewXOF] also
// implement [hash.XOF].
type XOF interface {
	// Write appends to the message. It panics if Read has been called since the last
	// Reset.
	io.Writer

	// Read reads more of the output. It returns io.EOF at the end of the output.
	io.Reader

	// Clone returns an independent copy of the XOF in its current state.
	Clone() XOF

	// Reset restores the initial state.
	Reset()
}

// OutputLengthUnknown can be passed as the size to [NewXOF] if the output length is not
// known in advance.
const OutputLengthUnknown = 0

const (
	unknownLength = math.MaxUint32

	// maxOutput is the maximum output length in bytes if the length is not known in
	// advance: 2^32 nodes of 64 bytes.
	maxOutput = Size << 32
)

var errOutput = errors.New("blake2b: XOF length too large")

// NewXOF returns BLAKE2Xb (J. Aumasson et al., "BLAKE2X", 2016) with an output of size
// bytes, from 1 to 2^32 - 2. If size is [OutputLengthUnknown], the output can be any
// length up to 256 GiB. The key can be empty and must be at most 64 bytes long. For
// other lengths, NewXOF returns an error. Outputs of different sizes are unrelated: a
// short output is not a prefix of a long one.
func NewXOF(size uint32, key []byte) (XOF, error) {
	if len(key) > Size {
		return nil, errKeySize
	}
	if size == unknownLength {
		return nil, errOutput
	}
	x := &xof{length: size, total: uint64(size)}
	if size == OutputLengthUnknown {
		x.length, x.total = unknownLength, maxOutput
	}
	x.initial = blake2b.BeginXOF(x.length, key)
	x.state = x.initial
	return x, nil
}

// An xof absorbs a message until the first Read, and then generates the output.
type xof struct {
	state, initial blake2b.State
	length         uint32 // output length in the parameter block
	total          uint64 // total output length in bytes

	reading bool
	output  blake2b.Expansion
	offset  uint64     // number of output bytes read
	node    [Size]byte // node that contains the next output byte, unless offset is a multiple of the node size
}

var _ hash.XOF = (*xof)(nil)

func (x *xof) BlockSize() int { return BlockSize }

func (x *xof) Reset() {
	*x = xof{state: x.initial, initial: x.initial, length: x.length, total: x.total}
}

func (x *xof) Clone() XOF {
	c := *x
	return &c
}

func (x *xof) Write(p []byte) (int, error) {
	if x.reading {
		panic("blake2b: write to XOF after read")
	}
	x.state.Write(p)
	return len(p), nil
}

func (x *xof) Read(p []byte) (int, error) {
	if !x.reading {
		x.reading = true
		x.output.Length = x.length
		x.state.Sum(x.output.Root[:0])
	}
	if x.offset == x.total {
		return 0, io.EOF
	}
	p = p[:min(uint64(len(p)), x.total-x.offset)]
	n := len(p)
	if within := x.offset % Size; within > 0 {
		p = x.advance(p, copy(p, x.node[within:]))
	}
	if whole := len(p) / Size * Size; whole > 0 {
		x.output.Nodes(p[:whole], uint32(x.offset/Size))
		p = x.advance(p, whole)
	}
	if len(p) > 0 {
		x.output.Node(&x.node, uint32(x.offset/Size), int(min(Size, x.total-x.offset)))
		x.advance(p, copy(p, x.node[:]))
	}
	return n, nil
}

// advance skips the first n bytes of p and returns the rest.
func (x *xof) advance(p []byte, n int) []byte {
	x.offset += uint64(n)
	return p[n:]
}
