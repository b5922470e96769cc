// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"crypto"
	"hash"
)

// A program that links golang.org/x/crypto/blake2b too has one of the two: the last that
// registers.
func init() {
	crypto.RegisterHash(crypto.BLAKE2b_256, func() hash.Hash { return unkeyed(Size256) })
	crypto.RegisterHash(crypto.BLAKE2b_384, func() hash.Hash { return unkeyed(Size384) })
	crypto.RegisterHash(crypto.BLAKE2b_512, func() hash.Hash { return unkeyed(Size) })
}

func unkeyed(size int) hash.Hash {
	d, err := newDigest(size, nil)
	if err != nil {
		panic(err)
	}
	return d
}
