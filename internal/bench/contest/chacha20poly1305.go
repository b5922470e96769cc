// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"slices"
	"time"

	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/internal/bench/peer/clib"
	"github.com/unimac/unimac/internal/bench/peer/rust"
	"github.com/unimac/unimac/internal/chacha20"
)

var chachaPolyPackages = []string{"chacha20poly1305", "chacha20", "poly1305"}

// chachaPolySizes returns powers of two, and the size of WireGuard's packets.
func chachaPolySizes() []int {
	all := append(sizes(16, 1<<20), 1420)
	slices.Sort(all)
	return all
}

// chachaPolys compares implementations of ChaCha20-Poly1305 under one key without
// additional data, as WireGuard and age use it.
func chachaPolys() []Contest {
	return []Contest{chachaPoly(false), chachaPoly(true), {
		Name: "chacha20-poly1305-batch", Title: "ChaCha20-Poly1305, 128 packets under one key",
		Sizes: batchSizes, Bytes: batchBytes, Entrants: batchEntrants(chacha20poly1305.New, false),
	}}
}

// chachaPoly returns the contest for Seal or Open. More peers take part in Seal,
// because a chart shows them.
func chachaPoly(open bool) Contest {
	c := sealing("chacha20-poly1305", "ChaCha20-Poly1305", open, chachaPolySizes())
	c.Entrants = append(ours(chachaPolyPackages, startAEAD(chacha20poly1305.New, open), "avx512", "avx2", "sse41", "neon", "generic"),
		Entrant{Name: "x-crypto", Label: "x/crypto", Start: startAEAD(xchacha20poly1305.New, open)})
	openSSL := libraryAEAD(open, clib.OpenSSLSeal, clib.OpenSSLOpen)
	c.Entrants = append(c.Entrants, library("openssl", "OpenSSL", openSSL))
	if !open {
		libsodium := libraryAEAD(open, clib.SodiumChaCha20Poly1305, 0)
		c.Entrants = append(c.Entrants, library("libsodium", "libsodium", libsodium), crateSeal("aws-lc-rs"), crateSeal("ring"))
	}
	if clib.HasIPsecMB {
		ipsecMB := libraryAEAD(open, clib.IPsecMBSeal, clib.IPsecMBOpen)
		c.Entrants = append(c.Entrants, library("intel-ipsec-mb", "intel-ipsec-mb", ipsecMB))
		c.Entrants = append(c.Entrants, restricted("intel-ipsec-mb", "intel-ipsec-mb", ipsecMB)...)
	}
	c.Entrants = append(c.Entrants, restricted("openssl", "OpenSSL", openSSL)...)
	c.Entrants = append(c.Entrants, aesGCM(open),
		Entrant{Name: "unimac-chacha20-alone", Label: "unimac, ChaCha20 alone", Ours: true, Other: true, Start: chacha20Alone})
	return c
}

func libraryAEAD(open bool, seal, opening clib.Algorithm) preparer {
	return func(size int) (clib.Algorithm, clib.Work) {
		w := clib.Work{Out: make([]byte, size+16), Key: data(32, 1), Nonce: data(12, 2), Msg: data(size, 4)}
		if !open {
			return seal, w
		}
		clib.Loop(seal, w)(1)
		w.Out, w.Msg = make([]byte, size), w.Out
		return opening, w
	}
}

func crateSeal(name string) Entrant {
	return Entrant{Name: name, Label: "crate " + name, Start: func(size int) (*Work, error) {
		sealed := make([]byte, size+16)
		return processWork(sealed)(rust.Run(sealed, name, "seal", size, data(32, 1), data(12, 2), data(size, 4)))
	}}
}

// chacha20Alone encrypts without authentication. Its speed is the limit that
// ChaCha20-Poly1305 would reach if Poly1305 cost nothing.
func chacha20Alone(size int) (*Work, error) {
	key, nonce := [chacha20.KeySize]byte(data(32, 1)), [chacha20.NonceSize]byte(data(8, 2))
	msg, dst := data(size, 4), make([]byte, size)
	return work(dst, func(n int) {
		for range n {
			chacha20.XORKeyStream(dst, msg, &key, &nonce, 1)
		}
	}), nil
}

// sivs compares ChaCha20-Poly1305-SIV, which no peer implements, with other algorithms.
func sivs() []Contest {
	return []Contest{
		siv(false),
		siv(true),
		sivBatch("chacha20-poly1305-siv-seal-batch", "ChaCha20-Poly1305-SIV, 128 packets sealed under one key", false),
		sivBatch("chacha20-poly1305-siv-open-batch", "ChaCha20-Poly1305-SIV, 128 packets opened under one key", true),
	}
}

func siv(open bool) Contest {
	return sealing("chacha20-poly1305-siv", "ChaCha20-Poly1305-SIV", open, chachaPolySizes(),
		append(ours(chachaPolyPackages, startAEAD(chacha20poly1305.NewSIV, open), "avx512", "avx2", "sse41", "neon", "generic"),
			Entrant{Name: "x-crypto", Label: "x/crypto, ChaCha20-Poly1305", Other: true, Start: startAEAD(xchacha20poly1305.New, open)},
			Entrant{Name: "unimac-chacha20-blake2b", Label: "unimac, ChaCha20-BLAKE2b", Ours: true, Other: true, Start: startAEAD(aead.New, open)},
			uncommitted(open), aesGCM(open),
		)...)
}

func sivBatch(name, title string, open bool) Contest {
	c := Contest{Name: name, Title: title, Sizes: batchSizes, Bytes: batchBytes, Entrants: batchEntrants(chacha20poly1305.NewSIV, open)}
	x := &c.Entrants[len(c.Entrants)-1]
	x.Label, x.Other = "x/crypto, ChaCha20-Poly1305", true
	return c
}

// everySize compares Seal with x/crypto's Seal at sizes that show every step.
func everySize() Contest {
	list := []int{1420, 64 << 10}
	for n := 0; n < 64<<10; {
		list = append(list, n)
		switch {
		case n < 16:
			n += 4
		case n < 512:
			n += 8
		default:
			n += n / 24
		}
	}
	slices.Sort(list)
	return Contest{
		Name: "chacha20-poly1305-seal-sizes", Title: "ChaCha20-Poly1305, Seal, every size from 0 to 64 KiB",
		Sizes: slices.Compact(list), RatioTo: "x-crypto", Turn: 200 * time.Microsecond,
		Entrants: append(ours(chachaPolyPackages, startAEAD(chacha20poly1305.New, false), "avx2"),
			Entrant{Name: "x-crypto", Label: "x/crypto", Start: startAEAD(xchacha20poly1305.New, false)}),
	}
}
