// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package constanttime compares authentication tags in constant time.
package constanttime

import (
	"crypto/subtle"
	"encoding/binary"
)

// Equal returns 1 if x and y are equal and 0 otherwise.
func Equal(x, y *[16]byte) int {
	// The byte-wise subtle.ConstantTimeCompare would be slower for short messages.
	word := binary.LittleEndian
	different := (word.Uint64(x[:8]) ^ word.Uint64(y[:8])) | (word.Uint64(x[8:]) ^ word.Uint64(y[8:]))
	return subtle.ConstantTimeEq(int32(different|different>>32), 0)
}

// Equal32 is [Equal] for 32 bytes.
func Equal32(x, y *[32]byte) int {
	// Combine both results without a branch.
	return Equal((*[16]byte)(x[:16]), (*[16]byte)(y[:16])) & Equal((*[16]byte)(x[16:]), (*[16]byte)(y[16:]))
}
