// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"slices"

	//lint:ignore SA1019 deprecated, but a peer here
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/internal/bench/peer/clib"
	"github.com/unimac/unimac/poly1305"
)

func poly1305s() Contest {
	key := data(poly1305.KeySize, 1)
	prepare := func(a clib.Algorithm) preparer {
		return func(size int) (clib.Algorithm, clib.Work) {
			return a, clib.Work{Out: make([]byte, 16), Key: key, Msg: data(size, 2)}
		}
	}
	openSSL, ipsecMB := prepare(clib.OpenSSLPoly1305), prepare(clib.IPsecMBPoly1305)
	entrants := append(ours([]string{"poly1305"}, poly1305Sum(poly1305.Sum)),
		Entrant{Name: "x-crypto", Label: "x/crypto", Start: poly1305Sum(xpoly1305.Sum)},
		library("openssl", "OpenSSL", openSSL),
		library("libsodium", "libsodium", prepare(clib.SodiumPoly1305)),
	)
	if clib.HasIPsecMB {
		entrants = append(entrants, library("intel-ipsec-mb", "intel-ipsec-mb", ipsecMB))
		entrants = append(entrants, restricted("intel-ipsec-mb", "intel-ipsec-mb", ipsecMB)...)
	}
	entrants = append(entrants, restricted("openssl", "OpenSSL", openSSL)...)
	return Contest{Name: "poly1305", Title: "Poly1305", Sizes: slices.Concat([]int{16, 24, 32, 40, 48, 56}, sizes(64, 1<<20)), Entrants: entrants}
}

func poly1305Sum(sum func(out *[16]byte, m []byte, key *[32]byte)) starter {
	return func(size int) (*Work, error) {
		var tag [16]byte
		msg, key := data(size, 2), [32]byte(data(32, 1))
		return work(tag[:], func(n int) {
			for range n {
				sum(&tag, msg, &key)
			}
		}), nil
	}
}
