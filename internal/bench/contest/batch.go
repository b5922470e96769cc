// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"crypto/cipher"

	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/chacha20poly1305"
)

const batchPackets = 128

var batchSizes = []int{16, 32, 64, 128, 256, 512, 1024, 1420, 2048, 4096}

func batchBytes(size int) int { return batchPackets * size }

// batchEntrants returns entrants that call SealBatch or OpenBatch, and entrants that
// call this module's or x/crypto's Seal or Open for each packet. All packets use one
// key.
func batchEntrants(newAEAD func(key []byte) (cipher.AEAD, error), open bool) []Entrant {
	atOnce, each := chacha20poly1305.SealBatch, sealEach
	if open {
		atOnce, each = openBatch, openEach
	}
	return append(ours(chachaPolyPackages, startBatch(newAEAD, open, atOnce), "avx2", "neon"),
		Entrant{Name: "unimac-one-by-one", Label: "unimac, a call for each", Ours: true, Start: startBatch(newAEAD, open, each)},
		Entrant{Name: "x-crypto", Label: "x/crypto", Start: startBatch(xchacha20poly1305.New, open, each)},
	)
}

func startBatch(newAEAD func(key []byte) (cipher.AEAD, error), open bool, batch func(a cipher.AEAD, packets []chacha20poly1305.Packet)) starter {
	return func(size int) (*Work, error) {
		a, err := newAEAD(data(32, 1))
		if err != nil {
			return nil, err
		}
		nonce, sealed := a.NonceSize(), size+a.Overhead()
		nonces, text, ciphertext := data(batchPackets*nonce, 2), data(batchPackets*size, 4), make([]byte, batchPackets*sealed)
		packets := make([]chacha20poly1305.Packet, batchPackets)
		for i := range packets {
			p := &packets[i]
			p.Nonce = nonces[i*nonce : (i+1)*nonce]
			p.Text = text[i*size : (i+1)*size]
			if open {
				p.Text = a.Seal(ciphertext[i*sealed:i*sealed], p.Nonce, p.Text, nil)
			}
		}
		out, stride := ciphertext, sealed
		if open {
			out, stride = make([]byte, batchPackets*size), size
		}
		return work(out, func(n int) {
			for range n {
				for i := range packets {
					packets[i].Dst = out[i*stride : i*stride : (i+1)*stride]
				}
				batch(a, packets)
			}
		}), nil
	}
}

func sealEach(a cipher.AEAD, packets []chacha20poly1305.Packet) {
	for i := range packets {
		p := &packets[i]
		p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData)
	}
}

func openBatch(a cipher.AEAD, packets []chacha20poly1305.Packet) {
	if _, err := chacha20poly1305.OpenBatch(a, packets); err != nil {
		panic(err)
	}
}

func openEach(a cipher.AEAD, packets []chacha20poly1305.Packet) {
	for i := range packets {
		p := &packets[i]
		var err error
		if p.Dst, err = a.Open(p.Dst, p.Nonce, p.Text, p.AdditionalData); err != nil {
			panic(err)
		}
	}
}
