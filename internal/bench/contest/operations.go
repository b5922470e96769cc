// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"crypto/cipher"
	"fmt"
	"hash"

	xblake2b "golang.org/x/crypto/blake2b"
	xchacha20 "golang.org/x/crypto/chacha20"
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"
	//lint:ignore SA1019 deprecated for those who would build on it; here it is a peer
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/blake2b"
	"github.com/unimac/unimac/chacha20"
	"github.com/unimac/unimac/chacha20poly1305"
	kernels "github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/poly1305"
	"github.com/unimac/unimac/internal/salsa20"
	"github.com/unimac/unimac/umac"
)

// An Operation is measured at every length and compared with the same operation of
// x/crypto. If a package's table chooses the level by length, each level is measured.
type Operation struct {
	Name         string
	Package      string // of the table, "" where another operation stands for this one
	Least, Most  int    // the lengths that are measured
	Ours, Theirs func(size int) (*Work, error)
}

// Operations lists the operations of the packages that have kernels.
func Operations() []Operation {
	nonce := make([]byte, 16)
	return append(aeadOperations(),
		Operation{"chacha20poly1305.NewSIV Open", "chacha20poly1305", 1, 16 << 10, startAEAD(chacha20poly1305.NewSIV, true), nil},
		Operation{"aead.New Seal", "chacha20blake2b", 128, 16 << 10, startAEAD(aead.New, false), nil},
		Operation{"chacha20, a cipher per message", "chacha20", 0, 64 << 10, xorWith(chacha20.NewUnauthenticatedCipher), xorWith(xchacha20.NewUnauthenticatedCipher)},
		Operation{"chacha20 Block", "chacha20", kernels.BlockSize, kernels.BlockSize, repeated(func(msg []byte) {
			kernels.Block(new([64]byte), (*[32]byte)(msg), (*[16]byte)(nonce))
		}), nil},
		Operation{"chacha20.HChaCha20", "chacha20", 32, 32, repeated(func(key []byte) { chacha20.HChaCha20(key, nonce) }), nil},
		Operation{"salsa20", "salsa20", 80, 4 << 10, repeated(func(text []byte) {
			salsa20.XORKeyStream(text, text, new([32]byte), new([8]byte), 0)
		}), nil},
		Operation{"blake2b.Sum256", "", 0, 64 << 10, repeated(func(msg []byte) { blake2b.Sum256(msg) }), repeated(func(msg []byte) { xblake2b.Sum256(msg) })},
		Operation{"blake2b.New512, Write and Sum", "blake2b", 0, 64 << 10, hashWith(blake2b.New512), hashWith(xblake2b.New512)},
		Operation{"poly1305.Sum", "poly1305", 0, 64 << 10, poly1305Sum(poly1305.Sum), poly1305Sum(xpoly1305.Sum)},
		Operation{"poly1305, Write with a table that is kept", "poly1305", 16, 4 << 10, writePoly1305, nil},
		Operation{"umac Sum", "umac", 32, 1 << 10, startUMAC(umac.Size64), nil},
	)
}

// Counted lists the operations whose instructions are counted: those that x/crypto also
// has, and SIV, batches and streams, which are compared with x/crypto's
// ChaCha20-Poly1305.
func Counted() (list []Operation) {
	for _, o := range Operations() {
		if o.Theirs != nil {
			list = append(list, o)
		}
	}
	seal, open := startAEAD(xchacha20poly1305.New, false), startAEAD(xchacha20poly1305.New, true)
	sealEach, openEach := startBatch(xchacha20poly1305.New, false, sealEach), startBatch(xchacha20poly1305.New, true, openEach)
	return append(list,
		Operation{"chacha20poly1305.NewSIV Seal", "", 0, 64 << 10, startAEAD(chacha20poly1305.NewSIV, false), seal},
		Operation{"chacha20poly1305.NewSIV Open", "", 0, 64 << 10, startAEAD(chacha20poly1305.NewSIV, true), open},
		Operation{"chacha20poly1305.SealBatch", "", 0, 4 << 10, startBatch(chacha20poly1305.New, false, chacha20poly1305.SealBatch), sealEach},
		Operation{"chacha20poly1305.OpenBatch", "", 0, 4 << 10, startBatch(chacha20poly1305.New, true, openBatch), openEach},
		Operation{"stream.ChunkedChaCha20Poly1305, sealed", "", 4 << 10, 64 << 10, sealStream(stream.ChunkedChaCha20Poly1305), chunksInRow(xchacha20poly1305.New, 32, false)},
		Operation{"stream.ChunkedChaCha20Poly1305, opened", "", 4 << 10, 64 << 10, openStream(stream.ChunkedChaCha20Poly1305), chunksInRow(xchacha20poly1305.New, 32, true)},
	)
}

// aeadOperations returns the operations of chacha20poly1305, without additional data
// and with as much additional data as TLS uses.
func aeadOperations() (list []Operation) {
	for _, ad := range []int{0, 13} {
		for i, task := range []string{"Seal", "Open"} {
			pkg, open := "", i == 1
			if ad == 0 { // as the table's lengths are those of texts
				pkg = "chacha20poly1305"
			}
			name := fmt.Sprintf("%s, %d bytes of additional data", task, ad)
			list = append(list,
				Operation{"chacha20poly1305.New " + name, pkg, 0, 64 << 10, startWith(chacha20poly1305.New, open, ad), startWith(xchacha20poly1305.New, open, ad)},
				Operation{"chacha20poly1305.NewX " + name, "", 0, 64 << 10, startWith(chacha20poly1305.NewX, open, ad), startWith(xchacha20poly1305.NewX, open, ad)})
		}
	}
	return list
}

func repeated(do func(text []byte)) starter {
	return func(size int) (*Work, error) {
		text := make([]byte, size)
		return work(nil, func(n int) {
			for range n {
				do(text)
			}
		}), nil
	}
}

func xorWith[S cipher.Stream](newCipher func(key, nonce []byte) (S, error)) starter {
	key, nonce := make([]byte, 32), make([]byte, 12)
	return repeated(func(text []byte) {
		s, err := newCipher(key, nonce)
		must(err)
		s.XORKeyStream(text, text)
	})
}

func hashWith(newHash func(key []byte) (hash.Hash, error)) starter {
	return func(size int) (*Work, error) {
		h, err := newHash(nil)
		if err != nil {
			return nil, err
		}
		return hashWork(h, size), nil
	}
}

func writePoly1305(size int) (*Work, error) {
	var s poly1305.State
	var kept poly1305.KeptTable
	s.SetKey(new([poly1305.KeySize]byte))
	return repeated(func(msg []byte) { s.Blocks(&kept, msg) })(size &^ 15)
}
