// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"hash"
	"slices"
	"time"

	xblake2b "golang.org/x/crypto/blake2b"
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"
	//lint:ignore SA1019 deprecated for those who would build on it; here it is a peer
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/blake2b"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/poly1305"
)

// EverySize returns sizes from one to another that are close enough to show every step.
func EverySize(from, to int) []int {
	list := []int{1420, to}
	for n := from; n < to; {
		list = append(list, n)
		switch {
		case n < 16:
			n += 4 - n%4
		case n < 512:
			n += 8
		default:
			n += n / 24
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(n int) bool { return n > to })
}

// everySize compares what has x/crypto's names with x/crypto, at every size.
func everySize() []Contest {
	return []Contest{
		chachaPolyEverySize("chacha20-poly1305-seal-sizes", "ChaCha20-Poly1305, Seal, every size from 0 to 64 KiB", false),
		chachaPolyEverySize("chacha20-poly1305-open-sizes", "ChaCha20-Poly1305, Open, every size from 0 to 64 KiB", true),
		againstX("blake2b-sum-sizes", "BLAKE2b, Sum512, every size from 0 to 64 KiB", EverySize(0, 64<<10), []string{"blake2b"}, blake2bSum(blake2b.Sum512), blake2bSum(xblake2b.Sum512)),
		againstX("blake2b-new-sizes", "BLAKE2b, New256 with a key, Write and Sum, every size from 0 to 64 KiB", EverySize(0, 64<<10), []string{"blake2b"}, blake2bNew(blake2b.New256), blake2bNew(xblake2b.New256)),
		againstX("blake2b-write-sizes", "BLAKE2b, a message in Writes of every size from 1 to 4096 bytes", EverySize(1, 4096), []string{"blake2b"}, blake2bWrites(blake2b.New256), blake2bWrites(xblake2b.New256)),
		againstX("poly1305-sum-sizes", "Poly1305, Sum, every size from 1 byte to 64 KiB", EverySize(1, 64<<10), []string{"poly1305"}, poly1305Sum(poly1305.Sum), poly1305Sum(xpoly1305.Sum)),
		againstX("poly1305-write-sizes", "Poly1305, a message in Writes of every size from 1 to 4096 bytes", EverySize(1, 4096), []string{"poly1305"},
			poly1305Writes(func(key *[32]byte) poly1305MAC { return poly1305.New(key) }),
			poly1305Writes(func(key *[32]byte) poly1305MAC { return xpoly1305.New(key) })),
	}
}

type starter = func(size int) (*Work, error)

// againstX is a contest with x/crypto at many sizes, at the processor's level and with AVX2 alone.
func againstX(name, title string, sizes []int, pkgs []string, ours, x starter) Contest {
	return Contest{
		Name: name, Title: title, Sizes: sizes, RatioTo: "x-crypto", Turn: 200 * time.Microsecond,
		Entrants: append(levelsOf(pkgs, ours, "avx2"), Entrant{Name: "x-crypto", Label: "x/crypto", Start: x}),
	}
}

func chachaPolyEverySize(name, title string, open bool) Contest {
	return againstX(name, title, EverySize(0, 64<<10), chachaPolyPackages,
		startAEAD(chacha20poly1305.New, open), startAEAD(xchacha20poly1305.New, open))
}

func blake2bSum(sum func(data []byte) [64]byte) starter {
	return func(size int) (*Work, error) {
		msg, digest := data(size, 2), make([]byte, 64)
		return work(digest, func(n int) {
			for range n {
				d := sum(msg)
				copy(digest, d[:])
			}
		}), nil
	}
}

func blake2bNew(newHash func(key []byte) (hash.Hash, error)) starter {
	return func(size int) (*Work, error) {
		key, msg, digest := data(32, 1), data(size, 2), make([]byte, 32)
		return work(digest, func(n int) {
			for range n {
				h, err := newHash(key)
				if err != nil {
					panic(err)
				}
				h.Write(msg)
				h.Sum(digest[:0])
			}
		}), nil
	}
}

// blake2bWrites writes a piece at a time, of a message that does not end.
func blake2bWrites(newHash func(key []byte) (hash.Hash, error)) starter {
	return func(size int) (*Work, error) {
		h, err := newHash(nil)
		if err != nil {
			return nil, err
		}
		piece := data(size, 2)
		return work(nil, func(n int) {
			for range n {
				h.Write(piece)
			}
		}), nil
	}
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

type poly1305MAC interface {
	Write(p []byte) (int, error)
	Sum(b []byte) []byte
}

// poly1305Writes writes 4 pieces to a MAC of their own, as protocols do with headers, text
// and lengths.
func poly1305Writes(newMAC func(key *[32]byte) poly1305MAC) starter {
	return func(size int) (*Work, error) {
		key, piece, tag := [32]byte(data(32, 1)), data(size, 2), make([]byte, 16)
		return work(tag, func(n int) {
			for range n {
				m := newMAC(&key)
				for range 4 {
					m.Write(piece)
				}
				m.Sum(tag[:0])
			}
		}), nil
	}
}
