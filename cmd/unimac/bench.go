// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"regexp"
	"slices"
	"text/tabwriter"
	"time"

	xblake2b "golang.org/x/crypto/blake2b"
	xchacha20 "golang.org/x/crypto/chacha20"
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"
	//lint:ignore SA1019 deprecated for new code, but unimac is compared with it here
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/blake2b"
	"github.com/unimac/unimac/chacha20"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/measure"
	"github.com/unimac/unimac/multimac"
	"github.com/unimac/unimac/multimixer"
	"github.com/unimac/unimac/poly1305"
	"github.com/unimac/unimac/umac"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Want:  "none",
		Args:  "[-a REGEXP] [-t TIME]",
		Short: "measure the speed of everything on this machine",
		Long: `Measures each algorithm together with equivalent or alternative algorithms of the standard
library and golang.org/x/crypto. Each row contains the speed for messages of several lengths.
The last column is the speed for messages of 16 KiB relative to the row marked 1.00.

Algorithms of one kind take turns, so that other load on the machine affects all of them; the
best turn of each is printed. Everything runs in one thread, except for the formats of "unimac
seal", which use all processors. Keys are expanded before the measurement, except for Poly1305,
which has one key per message, and for streams, which derive their keys and therefore start
slowly.`,
		Examples: []string{"unimac bench", "unimac bench -a umac -t 1s", "unimac bench -a ChaCha20-Poly1305"},
		New:      newBench,
	}
}

// benchSizes lists the message lengths in bytes, the last of which determines RATIO.
var benchSizes = []int{64, 1420, 16 << 10}

func newBench(c *cli.Call) func() int {
	pattern := c.Flags.String("a", "", "measure the algorithms whose name or origin matches this `name` or regular expression")
	each := c.Duration("t", 150*time.Millisecond, "the `time` to measure for each figure")
	return func() int {
		wanted, err := regexp.Compile("(?i)" + *pattern)
		if err != nil {
			return c.Usagef("%v", err)
		}
		plan := measure.Plan{Rounds: 8, Turn: *each / 8, Limit: time.Minute}
		printVersion(c.Stdout)
		found := false
		for _, kind := range contestKinds() {
			results, err := kind.measure(kind.matching(wanted), plan)
			if err != nil {
				return c.Errorf("%v", err)
			}
			if len(results) > 0 {
				printResults(c.Stdout, results)
				found = true
			}
		}
		if !found {
			return c.Errorf("no algorithm matches %q", *pattern)
		}
		return cli.ExitOK
	}
}

type benchResult struct {
	Kind, Name, From string
	Size             int // in bytes
	BytesPerSecond   float64
}

// matching returns the contestants whose name or origin matches wanted. Ratios are
// relative to k's last contestant, so it is included if there are any matches.
func (k *contestKind) matching(wanted *regexp.Regexp) (found []contestant) {
	for i, c := range k.contestants {
		match := wanted.MatchString(c.name) || wanted.MatchString(c.origin)
		if match || i == len(k.contestants)-1 && len(found) > 0 {
			found = append(found, c)
		}
	}
	return found
}

// measure times every contestant at every size. It alternates between contestants, so
// that background load affects all of them equally.
func (k *contestKind) measure(contestants []contestant, plan measure.Plan) (results []benchResult, err error) {
	var loops []measure.Loop
	for _, c := range contestants {
		for _, size := range benchSizes {
			work, err := c.start(make([]byte, size))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			loops = append(loops, measure.Timed(func(n int) {
				for range n {
					work()
				}
			}))
			results = append(results, benchResult{k.title, c.name, c.origin, size, 0})
		}
	}
	for i, series := range measure.Alternate(loops, plan) {
		results[i].BytesPerSecond = float64(results[i].Size) / series.Best() * 1e9
	}
	return results, nil
}

func printResults(w io.Writer, results []benchResult) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "\n%s\tFROM\t%10s\t%10s\t%10s\tRATIO\n", results[0].Kind, "64 B", "1420 B", "16 KiB")
	last := results[len(results)-1].BytesPerSecond
	for row := range slices.Chunk(results, len(benchSizes)) {
		fmt.Fprintf(tw, "%s\t%s", row[0].Name, row[0].From)
		for _, r := range row {
			fmt.Fprintf(tw, "\t%10s", shownSpeed(r.BytesPerSecond))
		}
		fmt.Fprintf(tw, "\t%5.2f\n", row[len(row)-1].BytesPerSecond/last)
	}
	tw.Flush()
}

func shownSpeed(v float64) string {
	if v >= 1e9 {
		return fmt.Sprintf("%.2f GB/s", v/1e9)
	}
	return fmt.Sprintf("%.1f MB/s", v/1e6)
}

type contestant struct {
	name, origin string

	// start returns a function that processes msg once.
	start func(msg []byte) (work func(), err error)
}

// A contestKind lists the contestants of one kind, such as stream ciphers. Speed ratios
// are relative to the last contestant.
type contestKind struct {
	title       string
	contestants []contestant
}

func contestKinds() []*contestKind {
	const own, x = "unimac", "x/crypto"
	last := contestant{"chacha20-poly1305", x, sealWork(xchacha20poly1305.New, 32)}
	streams := &contestKind{title: "FORMAT OF unimac seal"}
	for _, f := range sealedFormats {
		streams.contestants = append(streams.contestants, contestant{formatName(f), own, streamWork(f)})
	}
	streams.contestants = append(streams.contestants, last)
	return []*contestKind{
		{"MAC, NONCE OR ONE-TIME KEY", []contestant{
			{"umac-64", own, umacWork(umac.Size64)},
			{"umac-128", own, umacWork(umac.Size128)},
			{"poly1305", own, poly1305Work(poly1305.Sum)},
			{"poly1305", x, poly1305Work(xpoly1305.Sum)},
			{"aes-128-gmac", "crypto/cipher", tagWork(func() (func(tag, msg []byte) []byte, error) {
				a, err := newGCM(make([]byte, 16)) // encrypts nothing: msg is additional data
				return func(tag, msg []byte) []byte { return a.Seal(tag, make([]byte, 12), nil, msg) }, err
			})},
		}},
		{"MAC, NO NONCE", []contestant{
			{"multimixer-128", own, tagWork(func() (func(tag, msg []byte) []byte, error) {
				k, err := multimixer.NewKey(make([]byte, multimixer.KeySize), 16)
				return k.Sum, err
			})},
			{"multimac-256", own, tagWork(func() (func(tag, msg []byte) []byte, error) {
				k, err := multimac.NewKey(make([]byte, 32), append(make([]byte, 31), 1))
				return func(tag, msg []byte) []byte { return k.Sum(tag, msg) }, err
			})},
			{"aegismac256x2-128", own, hashWork(func() (hash.Hash, error) { return aegis.NewMAC(aegis.AEGIS256X2, make([]byte, 32), nil, 16) })},
			{"blake2b-256", own, hashWork(func() (hash.Hash, error) { return blake2b.New256(make([]byte, 32)) })},
			{"blake2b-256", x, hashWork(func() (hash.Hash, error) { return xblake2b.New256(make([]byte, 32)) })},
			{"hmac-sha256", "crypto/hmac", hashWork(func() (hash.Hash, error) { return hmac.New(sha256.New, make([]byte, 32)), nil })},
		}},
		{"CIPHER", []contestant{
			{"chacha20", own, cipherWork(chacha20.NewUnauthenticatedCipher)},
			{"chacha20", x, cipherWork(xchacha20.NewUnauthenticatedCipher)},
		}},
		{"ENCRYPTION AND MAC", []contestant{
			{"chacha20-poly1305", own, sealWork(chacha20poly1305.New, 32)},
			{"chacha20-poly1305-siv", own, sealWork(chacha20poly1305.NewSIV, 32)},
			{"chacha20-blake2b", own, sealWork(aead.New, 32)},
			{"xchacha20-blake2b", own, sealWork(aead.NewX, 32)},
			{"xchacha20-blake2b-siv", own, sealWork(aead.NewSIV, 32)},
			{"aegis-128x2", own, sealWork(newAEGIS(aegis.AEGIS128X2), 16)},
			{"aegis-256x2", own, sealWork(newAEGIS(aegis.AEGIS256X2), 32)},
			{"aes-128-gcm", "crypto/cipher", sealWork(newGCM, 16)},
			last,
		}},
		streams,
	}
}

// tagWork returns a start function for a MAC with a one-shot sum function.
func tagWork(start func() (sum func(tag, msg []byte) []byte, err error)) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		sum, err := start()
		tag := make([]byte, 0, 64)
		return func() { tag = sum(tag[:0], msg) }, err
	}
}

// umacWork is like tagWork, but for UMAC. It increments the nonce for each message.
func umacWork(size int) func(msg []byte) (func(), error) {
	return tagWork(func() (func(tag, msg []byte) []byte, error) {
		k, err := umac.NewKey(make([]byte, umac.KeySize), size)
		nonce, count := make([]byte, 8), uint64(0)
		return func(tag, msg []byte) []byte {
			count++
			binary.BigEndian.PutUint64(nonce, count)
			return k.Sum(tag, nonce, msg)
		}, err
	})
}

func poly1305Work(sum func(out *[16]byte, m []byte, key *[32]byte)) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		tag, key := new([16]byte), &[32]byte{1, 2, 3}
		return func() { sum(tag, msg, key) }, nil
	}
}

func newAEGIS(v aegis.Variant) func(key []byte) (cipher.AEAD, error) {
	return func(key []byte) (cipher.AEAD, error) { return aegis.New(v, key) }
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func hashWork(newHash func() (hash.Hash, error)) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		h, err := newHash()
		tag := make([]byte, 0, 64)
		return func() {
			h.Reset()
			h.Write(msg)
			tag = h.Sum(tag[:0])
		}, err
	}
}

// cipherWork returns a start function for a stream cipher.
func cipherWork[C cipher.Stream](newCipher func(key, nonce []byte) (C, error)) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		key, nonce, out := make([]byte, 32), make([]byte, 12), make([]byte, len(msg))
		_, err := newCipher(key, nonce)
		return func() {
			c, _ := newCipher(key, nonce) // the first call above reports the error
			c.XORKeyStream(out, msg)
		}, err
	}
}

func sealWork(newAEAD func(key []byte) (cipher.AEAD, error), keySize int) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		a, err := newAEAD(make([]byte, keySize))
		if err != nil {
			return nil, err
		}
		nonce, out := make([]byte, a.NonceSize()), make([]byte, 0, len(msg)+a.Overhead())
		return func() { out = a.Seal(out[:0], nonce, msg, nil) }, nil
	}
}

func streamWork(f stream.Format) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		work := sealFilter(stream.Options{Format: f}, nil, make([]byte, f.KeySize()))
		seal := func() error { return work(bytes.NewReader(msg), io.Discard) }
		return func() { seal() }, seal()
	}
}
