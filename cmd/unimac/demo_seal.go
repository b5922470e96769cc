// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"io"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/chacha20poly1305"
)

// A sealer seals a source under a new key, changes what comes of it, and reports
// whether it opens, and as what it was.
type sealer struct {
	name     string
	accepted func(s *source, change func(sealed io.Reader) io.Reader) (bool, error)
}

// sealers lists the AEADs and the formats of streams.
var sealers = append([]*sealer{
	aeadSealer("chacha20-poly1305", chacha20poly1305.New, 32),
	aeadSealer("xchacha20-poly1305", chacha20poly1305.NewX, 32),
	aeadSealer("chacha20-poly1305-siv", chacha20poly1305.NewSIV, 32),
	aeadSealer("chacha20-blake2b", aead.New, 32),
	aeadSealer("xchacha20-blake2b", aead.NewX, 32),
	aeadSealer("xchacha20-blake2b-siv", aead.NewSIV, 32),
	aeadSealer("aegis-128x2", newAEGIS(aegis.AEGIS128X2), 16),
	aeadSealer("aegis-256x2", newAEGIS(aegis.AEGIS256X2), 32),
}, streamSealers()...)

func streamSealers() (all []*sealer) {
	for _, f := range sealedFormats {
		all = append(all, &sealer{formatName(f), func(s *source, change func(io.Reader) io.Reader) (bool, error) {
			return streamAccepted(stream.Options{Format: f}, s, change)
		}})
	}
	return all
}

// demoSealing prints a line for each sealer: what a receiver says to the sealed
// data, and what to those with one bit changed.
func demoSealing(w io.Writer, s *source, sealers []*sealer) error {
	return demoTable(w, "SEALED BY", sealers, func(way *sealer) (name, columns string, sent, changed bool, err error) {
		sent, err = way.accepted(s, func(r io.Reader) io.Reader { return r })
		if err == nil {
			changed, err = way.accepted(s, func(r io.Reader) io.Reader {
				return &changedReader{r: r, at: min(s.size, aeadDemoSize) / 2}
			})
		}
		return way.name, way.name, sent, changed, err
	})
}

// aeadDemoSize is how much of the data an AEAD seals: it takes a message as a
// whole, in memory.
const aeadDemoSize = 1 << 20

func aeadSealer(name string, newAEAD func(key []byte) (cipher.AEAD, error), keySize int) *sealer {
	return &sealer{name, func(s *source, change func(io.Reader) io.Reader) (bool, error) {
		var plain []byte
		err := s.read(func(r io.Reader) (err error) {
			plain, err = io.ReadAll(io.LimitReader(r, aeadDemoSize))
			return err
		})
		if err != nil {
			return false, err
		}
		key := make([]byte, keySize)
		rand.Read(key)
		c, err := newAEAD(key)
		if err != nil {
			return false, err
		}
		nonce := make([]byte, c.NonceSize()) // the key is new: any nonce will do
		sealed, err := io.ReadAll(change(bytes.NewReader(c.Seal(nil, nonce, plain, nil))))
		if err != nil {
			return false, err
		}
		opened, err := c.Open(nil, nonce, sealed, nil)
		return err == nil && bytes.Equal(opened, plain), nil
	}}
}

// streamAccepted sends all of the source through a stream.
func streamAccepted(o stream.Options, s *source, change func(io.Reader) io.Reader) (bool, error) {
	key := make([]byte, o.Format.KeySize())
	rand.Read(key)
	pr, pw := io.Pipe()
	go func() {
		pw.CloseWithError(s.read(func(r io.Reader) error { return sealJob(o, nil, key)(r, pw) }))
	}()
	defer pr.Close()
	accepted := false
	err := s.read(func(plain io.Reader) error {
		// The header is left alone: a change of it is another error than ErrAuth.
		var header [64]byte
		if _, err := io.ReadFull(pr, header[:]); err != nil {
			return err
		}
		r, err := o.NewReader(io.MultiReader(bytes.NewReader(header[:]), change(pr)), key)
		if err != nil {
			return err
		}
		accepted, err = sameData(r, plain)
		if errors.Is(err, stream.ErrAuth) {
			accepted, err = false, nil
		}
		return err
	})
	return accepted, err
}

// sameData reports whether two readers have the same data until their end.
func sameData(a, b io.Reader) (bool, error) {
	bufA, bufB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(a, bufA)
		m, errB := io.ReadFull(b, bufB)
		for _, err := range []error{errA, errB} {
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return false, err
			}
		}
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		if errA != nil || errB != nil {
			return (errA != nil) == (errB != nil), nil
		}
	}
}
