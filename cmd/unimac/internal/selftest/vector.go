// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
)

// vectorsFile holds the known answers. TestVectorsFile explains how to update it.
//
//go:embed vectors.json
var vectorsFile []byte

// A vector holds an algorithm's input and the output of a reference implementation.
type vector struct {
	Package, Algorithm string
	Variant            string   `json:",omitempty"` // AEGIS variant or stream format
	Key                digits   `json:",omitempty"`
	Nonce              digits   `json:",omitempty"` // or the second key of MultiMAC
	AD                 digits   `json:",omitempty"`
	Msg                digits   `json:",omitempty"`
	Times              int      `json:",omitempty"` // number of repetitions of Msg (and of Multimixer-128's Key), if not 1
	Pattern            int      `json:",omitempty"` // if Msg is empty: message length; byte i is (i + Start) mod 251
	Start              int      `json:",omitempty"`
	Inputs             []digits `json:",omitempty"` // message of MultiMAC
	TagSize            int      `json:",omitempty"` // tag size of an AEAD
	Cut                int      `json:",omitempty"` // offset at which the method right splits the output
	Want               digits
}

// digits holds bytes, encoded as hexadecimal digits in the file.
type digits []byte

func (d *digits) UnmarshalText(text []byte) (err error) {
	*d, err = hex.AppendDecode(nil, text)
	return err
}

// readVectors returns the vectors by package, and the packages in file order.
func readVectors() (vectors map[string][]*vector, packages []string, err error) {
	var all []*vector
	err = json.Unmarshal(vectorsFile, &all)
	vectors = make(map[string][]*vector)
	for _, v := range all {
		if vectors[v.Package] == nil {
			packages = append(packages, v.Package)
		}
		vectors[v.Package] = append(vectors[v.Package], v)
	}
	return vectors, packages, err
}

func (v *vector) message() []byte {
	if len(v.Msg) > 0 {
		return bytes.Repeat(v.Msg, max(1, v.Times))
	}
	p := make([]byte, v.Pattern)
	for i := range p {
		p[i] = byte((i + v.Start) % 251)
	}
	return p
}

// right reports whether output is correct. v.Cut is the offset at which output is split
// into two parts. v.Want holds the expected value of each part, or its SHA-256 hash if
// the part is longer than 64 bytes.
func (v *vector) right(output []byte) bool {
	var short []byte
	for _, part := range [][]byte{output[:v.Cut], output[v.Cut:]} {
		if sum := sha256.Sum256(part); len(part) > 64 {
			part = sum[:]
		}
		short = append(short, part...)
	}
	return bytes.Equal(short, v.Want)
}
