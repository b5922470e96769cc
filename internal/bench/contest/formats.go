// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/internal/bench/peer/pyca"
)

// formats returns the contests of all formats of streams, sealed and opened, in one thread
// and in two. The entrant "unimac" is ChunkedChaCha20Poly1305.
func formats() (contests []Contest) {
	const chunk = 16 << 10
	chacha := chunkRow{chunk, chacha20poly1305.New, 32}
	gcm := chunkRow{chunk, newGCM, 16}
	for _, way := range []struct {
		name, title string
		task        func(f stream.Format) streamTask
		chacha, gcm streamTask
		pyca        func(size int) (*Work, error)
	}{
		{"stream-formats-seal", "Streams in all formats, sealed", sealStreams, chacha.seal, gcm.seal, pycaWork("seal")},
		{"stream-formats-open", "Streams in all formats, opened", openStreams, chacha.open, gcm.open, pycaWork("open")},
	} {
		for _, threads := range []int{1, 2} {
			in := func(task streamTask, threads int) func(size int) (*Work, error) {
				return func(size int) (*Work, error) { return task(size, threads) }
			}
			c := streamContest(way.name, way.title, threads)
			own := way.task(stream.ChunkedChaCha20Poly1305)
			c.Entrants = labelled("", stream.ChunkedChaCha20Poly1305, levelsOf(chachaPolyPackages, in(own, threads), "avx2", "sse41", "neon", "generic"))
			if threads > 1 {
				c.Entrants = append(c.Entrants, Entrant{Name: "unimac-one-thread", Label: "ChunkedChaCha20Poly1305, one thread", Ours: true, Start: in(own, 1)})
			}
			for _, f := range []stream.Format{stream.Cobblestone128, stream.Cobblestone256} {
				c.Entrants = append(c.Entrants, Entrant{Name: "unimac-" + strings.ToLower(f.String()), Label: f.String(), Ours: true, Start: in(way.task(f), threads)})
			}
			c.Entrants = append(c.Entrants, labelled("-v2", stream.UnimacV2, ours([]string{"chacha20", "blake2b", "chacha20blake2b"}, in(way.task(stream.UnimacV2), threads)))...)
			c.Entrants = append(c.Entrants,
				Entrant{Name: "x-chacha20poly1305", Label: "x/crypto, ChaCha20-Poly1305 in a row", Other: true, Start: in(way.chacha, threads)},
				Entrant{Name: "crypto-gcm", Label: "crypto/cipher, AES-128-GCM in a row", Other: true, Start: in(way.gcm, threads)})
			if threads == 1 {
				c.Entrants = append(c.Entrants, Entrant{Name: "pyca", Label: "pyca/cryptography, Cobblestone-128", Start: way.pyca})
			}
			contests = append(contests, c)
		}
	}
	return contests
}

// labelled returns entrants that bear the name of a format. Only UnimacV2 gives a stream of
// another length than the rest.
func labelled(suffix string, f stream.Format, entrants []Entrant) []Entrant {
	for i := range entrants {
		e := &entrants[i]
		e.Name = "unimac" + suffix + strings.TrimPrefix(e.Name, "unimac")
		e.Label = f.String() + strings.TrimPrefix(e.Label, "unimac")
		e.Other = f == stream.UnimacV2
	}
	return entrants
}

// pycaWork has a process of Python seal or open a stream.
func pycaWork(what string) func(size int) (*Work, error) {
	return func(size int) (*Work, error) {
		length := make([]byte, 8)
		loop, stop, err := pyca.Run(length, what, data(stream.Cobblestone128.KeySize(), 2), data(size, 1))
		if errors.Is(err, pyca.ErrAbsent) {
			return nil, fmt.Errorf("%w: %w", ErrAbsent, err)
		}
		if err != nil {
			return nil, err
		}
		return &Work{Loop: loop, Answer: length, stop: stop}, nil
	}
}
