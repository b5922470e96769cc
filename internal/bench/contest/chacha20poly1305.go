// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"crypto/cipher"
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
	return []Contest{chachaPoly(false), chachaPoly(true), sealBatches()}
}

func chachaPoly(open bool) Contest {
	c := Contest{Name: "chacha20-poly1305-seal", Title: "ChaCha20-Poly1305, Seal", Sizes: chachaPolySizes()}
	if open {
		c.Name, c.Title = "chacha20-poly1305-open", "ChaCha20-Poly1305, Open"
	}
	c.Entrants = slices.Concat(
		chachaPolyEntrants(open, "avx2", "neon", "generic"),
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
	goAEAD := func(newAEAD func(key []byte) (cipher.AEAD, error)) func(size int) (*Work, error) {
		return func(size int) (*Work, error) {
			a, err := newAEAD(data(32, 1))
			if err != nil {
				return nil, err
			}
			return aeadWork(a, open, size), nil
		}
	}
	entrants := slices.DeleteFunc(ours(chachaPolyPackages, goAEAD(chacha20poly1305.New)), func(e Entrant) bool {
		return e.Name != "unimac" && !slices.ContainsFunc(names, func(name string) bool { return e.Name == "unimac-"+name })
	})
	return append(entrants, Entrant{Name: "x-crypto", Label: "x/crypto", Start: goAEAD(xchacha20poly1305.New)})
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

// batchPackets is how many packets a batch has.
const batchPackets = 128

// sealBatches compares SealBatch with calls of Seal in a loop, for packets under one key.
func sealBatches() Contest {
	newWork := func(newAEAD func(key []byte) (cipher.AEAD, error), batch func(a cipher.AEAD, packets []chacha20poly1305.Packet)) func(size int) (*Work, error) {
		return func(size int) (*Work, error) {
			a, err := newAEAD(data(32, 1))
			if err != nil {
				return nil, err
			}
			nonces, text, out := data(batchPackets*12, 2), data(batchPackets*size, 4), make([]byte, batchPackets*(size+16))
			packets, sealed := make([]chacha20poly1305.Packet, batchPackets), size+16
			for i := range packets {
				packets[i].Nonce = nonces[i*12 : (i+1)*12]
				packets[i].Text = text[i*size : (i+1)*size]
			}
			return work(out, func(n int) {
				for range n {
					for i := range packets {
						packets[i].Dst = out[i*sealed : i*sealed : (i+1)*sealed]
					}
					batch(a, packets)
				}
			}), nil
		}
	}
	loop := func(a cipher.AEAD, packets []chacha20poly1305.Packet) {
		for i := range packets {
			p := &packets[i]
			p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData)
		}
	}
	entrants := slices.DeleteFunc(ours(chachaPolyPackages, newWork(chacha20poly1305.New, chacha20poly1305.SealBatch)), func(e Entrant) bool {
		return e.Name != "unimac" && e.Name != "unimac-avx2" && e.Name != "unimac-neon"
	})
	return Contest{
		Name: "chacha20-poly1305-batch", Title: "ChaCha20-Poly1305, 128 packets under one key",
		Sizes: []int{16, 32, 64, 128, 256, 512, 1024, 1420, 2048, 4096},
		Bytes: func(size int) int { return batchPackets * size },
		Entrants: append(entrants,
			Entrant{Name: "unimac-one-by-one", Label: "unimac, a call for each", Ours: true, Start: newWork(chacha20poly1305.New, loop)},
			Entrant{Name: "x-crypto", Label: "x/crypto", Start: newWork(xchacha20poly1305.New, loop)},
		),
	}
}
