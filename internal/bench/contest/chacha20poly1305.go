// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"slices"

	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/internal/bench/peer/ipsecmb"
	"github.com/unimac/unimac/internal/bench/peer/openssl"
	"github.com/unimac/unimac/internal/bench/peer/rust"
	"github.com/unimac/unimac/internal/bench/peer/sodium"
	"github.com/unimac/unimac/internal/chacha20"
)

// chachaPolyPackages have the kernels of ChaCha20-Poly1305.
var chachaPolyPackages = []string{"chacha20poly1305", "chacha20", "poly1305"}

// chachaPolySizes are powers of two, and a packet of WireGuard.
func chachaPolySizes() []int {
	all := append(sizes(16, 1<<20), 1420)
	slices.Sort(all)
	return all
}

// chachaPolys compares ChaCha20-Poly1305, without additional data, as WireGuard and age use
// it, under a key that is kept.
func chachaPolys() []Contest {
	return []Contest{chachaPoly(false), chachaPoly(true), {
		Name: "chacha20-poly1305-batch", Title: "ChaCha20-Poly1305, 128 packets under one key",
		Sizes: batchSizes, Bytes: batchBytes, Entrants: batchEntrants(chacha20poly1305.New, false),
	}}
}

func chachaPoly(open bool) Contest {
	c := Contest{Name: "chacha20-poly1305-seal", Title: "ChaCha20-Poly1305, Seal", Sizes: chachaPolySizes()}
	if open {
		c.Name, c.Title = "chacha20-poly1305-open", "ChaCha20-Poly1305, Open"
	}
	c.Entrants = slices.Concat(
		chachaPolyEntrants(open, "avx2", "sse41", "neon", "generic"),
		[]Entrant{
			{Name: "openssl", Label: "OpenSSL", Start: func(size int) (*Work, error) {
				a := openssl.NewAEAD(openssl.ChaCha20Poly1305, data(32, 1))
				w := chachaPolyWork(open, size, a.Seal, a.Open)
				w.stop = a.Free
				return w, nil
			}},
			{Name: "libsodium", Label: "libsodium", Start: func(size int) (*Work, error) {
				return chachaPolyWork(open, size,
					func(dst, nonce, msg []byte) func(n int) { return sodium.SealIETF(dst, data(32, 1), nonce, msg) },
					func(dst, nonce, sealed []byte) func(n int) { return sodium.OpenIETF(dst, data(32, 1), nonce, sealed) }), nil
			}},
			crateAEAD(rust.AWSLC, open),
			crateAEAD(rust.Ring, open),
		})
	if ipsecmb.Available {
		c.Entrants = append(c.Entrants, Entrant{Name: "intel-ipsec-mb", Label: "intel-ipsec-mb", Start: func(size int) (*Work, error) {
			return chachaPolyWork(open, size,
				func(dst, nonce, msg []byte) func(n int) { return ipsecmb.Seal(dst, data(32, 1), nonce, msg) },
				func(dst, nonce, sealed []byte) func(n int) { return ipsecmb.Open(dst, data(32, 1), nonce, sealed) }), nil
		}})
	}
	c.Entrants = append(c.Entrants, aesGCM(open),
		Entrant{Name: "unimac-chacha20-alone", Label: "unimac, ChaCha20 alone", Ours: true, Other: true, Start: chacha20Alone})
	return c
}

// chachaPolyEntrants returns ours, of the levels that are named, and x/crypto's.
func chachaPolyEntrants(open bool, names ...string) []Entrant {
	return append(levelsOf(chachaPolyPackages, startAEAD(chacha20poly1305.New, open), names...),
		Entrant{Name: "x-crypto", Label: "x/crypto", Start: startAEAD(xchacha20poly1305.New, open)})
}

// chachaPolyWork is aeadWork for a peer's loops.
func chachaPolyWork(open bool, size int, seal, openLoop func(dst, nonce, text []byte) func(n int)) *Work {
	nonce, msg, sealed := data(12, 2), data(size, 4), make([]byte, size+16)
	if !open {
		return work(sealed, seal(sealed, nonce, msg))
	}
	seal(sealed, nonce, msg)(1)
	dst := make([]byte, size)
	return work(dst, openLoop(dst, nonce, sealed))
}

func crateAEAD(name string, open bool) Entrant {
	return Entrant{Name: name, Label: "crate " + name, Start: func(size int) (*Work, error) {
		key, nonce, msg, dst := data(32, 1), data(12, 2), data(size, 4), make([]byte, size+16)
		if !open {
			return crateWork(dst)(rust.Seal(name, dst, key, nonce, msg))
		}
		a, err := xchacha20poly1305.New(key)
		if err != nil {
			return nil, err
		}
		return crateWork(dst[:size])(rust.Open(name, dst[:size], key, nonce, a.Seal(nil, nonce, msg, nil)))
	}}
}

// chacha20Alone encrypts and authenticates nothing: the speed at which Poly1305 would cost
// nothing.
func chacha20Alone(size int) (*Work, error) {
	key, nonce := [chacha20.KeySize]byte(data(32, 1)), [chacha20.NonceSize]byte(data(8, 2))
	msg, dst := data(size, 4), make([]byte, size)
	return work(dst, func(n int) {
		for range n {
			chacha20.XORKeyStream(dst, msg, &key, &nonce, 1)
		}
	}), nil
}
