// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"hash"
	"io"
	mathrand "math/rand/v2"
	"text/tabwriter"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/blake2b"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Want:  "none",
		Short: "show everything at work on generated data",
		Long: `Generates data, authenticates it with every MAC under new random keys, verifies the tags, and
shows that a changed bit is detected. It does the same for the data sealed in every format of
"unimac seal", and for its first MiB sealed with every AEAD. Then it sends the data through SSH
connections from this machine to itself, authenticated by UMAC, compares what arrives, and shows
the speed next to that with hmac-sha2-256.`,
		Examples: []string{"unimac demo"},
		New:      newDemo,
	}
}

// demoSize is the data size in bytes. Only tests change it.
var demoSize = 32 << 20

func newDemo(c *cli.Call) func() int {
	return func() int {
		data := make([]byte, demoSize)
		mathrand.NewChaCha8([32]byte{}).Read(data)
		fmt.Fprintf(c.Stdout, "%d bytes of generated data\n\n", len(data))
		for _, show := range []func(io.Writer, []byte) error{demoMACs, demoSealing, demoSSH} {
			if err := show(c.Stdout, data); err != nil {
				return c.Errorf("%v", err)
			}
		}
		io.WriteString(c.Stdout, nextCommands)
		return cli.ExitOK
	}
}

const nextCommands = `
To try next, with a file of yours:

	unimac keygen key
	unimac sum -k key FILE >SUMS
	unimac check -k key SUMS
	unimac seal -k key -o FILE.sealed FILE
	unimac open -k key FILE.sealed >COPY
`

// A protection is a MAC, an AEAD or a stream format. Its try function protects data
// under a new key and verifies the result twice, first unmodified and then with one bit
// flipped. sent and changed report whether these verifications succeeded.
type protection struct {
	name string
	try  func(data []byte) (tag []byte, sent, changed bool, err error)
}

func demoMACs(w io.Writer, data []byte) error {
	// BLAKE2b is not in algorithms, because sum does not support it.
	newBLAKE2b := func(key, _ []byte) (hash.Hash, error) { return blake2b.New256(key) }
	protections := []protection{macProtection(&algorithm{name: "blake2b-256", keySize: 32, tagSize: 32, new: newBLAKE2b})}
	for _, a := range algorithms {
		protections = append(protections, macProtection(a))
	}
	return demoTable(w, "MAC\tTAG, THE FIRST 16 BYTES", data, protections)
}

func demoSealing(w io.Writer, data []byte) error {
	protections := []protection{
		aeadProtection("chacha20-poly1305", chacha20poly1305.New, 32),
		aeadProtection("xchacha20-poly1305", chacha20poly1305.NewX, 32),
		aeadProtection("chacha20-poly1305-siv", chacha20poly1305.NewSIV, 32),
		aeadProtection("chacha20-blake2b", aead.New, 32),
		aeadProtection("xchacha20-blake2b", aead.NewX, 32),
		aeadProtection("xchacha20-blake2b-siv", aead.NewSIV, 32),
		aeadProtection("aegis-128x2", newAEGIS(aegis.AEGIS128X2), 16),
		aeadProtection("aegis-256x2", newAEGIS(aegis.AEGIS256X2), 32),
	}
	for _, f := range sealedFormats {
		protections = append(protections, streamProtection(f))
	}
	return demoTable(w, "SEALED BY\t", data, protections)
}

// demoTable prints one row per protection. It returns an error if a protection rejects
// intact data or accepts modified data.
func demoTable(w io.Writer, head string, data []byte, protections []protection) (failed error) {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(tw, "%s\tAS SENT\tONE BIT CHANGED\n", head)
	for _, p := range protections {
		tag, sent, changed, err := p.try(data)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if !sent || changed {
			failed = fmt.Errorf("%s does not distinguish right from wrong", p.name)
		}
		verdicts := map[bool]string{true: "accepted", false: "rejected"}
		fmt.Fprintf(tw, "%s\t%x\t%s\t%s\n", p.name, tag[:min(len(tag), 16)], verdicts[sent], verdicts[changed])
	}
	tw.Flush()
	fmt.Fprintln(w)
	return failed
}

// macProtection returns a protection for a MAC. Its try function authenticates the
// original data and a modified copy with the same nonce. Revealing both tags could
// allow forgeries, so the function returns only the original data's tag.
func macProtection(a *algorithm) protection {
	return protection{a.name, func(data []byte) (tag []byte, sent, changed bool, err error) {
		key, nonce := make([]byte, a.keySize), a.newNonce()
		rand.Read(key)
		var tags [3][]byte
		for i, data := range [][]byte{data, data, flipped(data)} {
			h, err := a.new(key, nonce)
			if err != nil {
				return nil, false, false, err
			}
			h.Write(data)
			tags[i] = h.Sum(nil)
		}
		return tags[0], subtle.ConstantTimeCompare(tags[0], tags[1]) == 1, subtle.ConstantTimeCompare(tags[0], tags[2]) == 1, nil
	}}
}

// flipped returns a copy of data with one bit flipped.
func flipped(data []byte) []byte {
	changed := bytes.Clone(data)
	changed[len(changed)/2] ^= 1
	return changed
}

func aeadProtection(name string, newAEAD func(key []byte) (cipher.AEAD, error), keySize int) protection {
	return protection{name, func(data []byte) (tag []byte, sent, changed bool, err error) {
		data = data[:min(len(data), 1<<20)] // AEADs hold the whole message in memory
		key := make([]byte, keySize)
		rand.Read(key)
		c, err := newAEAD(key)
		if err != nil {
			return nil, false, false, err
		}
		nonce := make([]byte, c.NonceSize()) // any nonce is unique under a new key
		sealed := c.Seal(nil, nonce, data, nil)
		opens := func(sealed []byte) bool {
			opened, err := c.Open(nil, nonce, sealed, nil)
			return err == nil && bytes.Equal(opened, data)
		}
		return nil, opens(sealed), opens(flipped(sealed)), nil
	}}
}

func streamProtection(f stream.Format) protection {
	return protection{formatName(f), func(data []byte) (tag []byte, sent, changed bool, err error) {
		key := make([]byte, f.KeySize())
		rand.Read(key)
		o := stream.Options{Format: f}
		var sealed bytes.Buffer
		if err := sealFilter(o, nil, key)(bytes.NewReader(data), &sealed); err != nil {
			return nil, false, false, err
		}
		opens := func(sealed []byte) bool {
			r, err := o.NewReader(bytes.NewReader(sealed), key)
			if err != nil {
				return false
			}
			opened, err := io.ReadAll(r)
			return err == nil && bytes.Equal(opened, data)
		}
		return nil, opens(sealed.Bytes()), opens(flipped(sealed.Bytes())), nil
	}}
}
