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

// vectorsFile is made by TestVectorsFile, which says how, out of what references give.
//
//go:embed vectors.json
var vectorsFile []byte

// A vector is an input of an algorithm of a package, and what a reference makes of it.
type vector struct {
	Package, Algorithm string
	Variant            string   `json:",omitempty"` // of AEGIS, or the format of a stream
	Key                digits   `json:",omitempty"`
	Nonce              digits   `json:",omitempty"` // MultiMAC's second key
	AD                 digits   `json:",omitempty"`
	Msg                digits   `json:",omitempty"`
	Times              int      `json:",omitempty"` // how often Msg is there, and Multimixer-128's key, if not once
	Pattern            int      `json:",omitempty"` // without Msg: this many bytes, of which byte i is (i + Start) mod 251
	Start              int      `json:",omitempty"`
	Inputs             []digits `json:",omitempty"` // the message of MultiMAC
	TagSize            int      `json:",omitempty"` // of an AEAD
	Cut                int      `json:",omitempty"` // where the output is cut in two before long parts are hashed
	Want               digits
}

// digits are bytes, written as hexadecimal digits.
type digits []byte

func (d *digits) UnmarshalText(text []byte) (err error) {
	*d, err = hex.AppendDecode(nil, text)
	return err
}

// readVectors returns the vectors by package, and the packages in order.
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

// message returns the message, which is long enough in some vectors for every kernel.
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

// right reports whether an output is that of the reference. Of a part of more than 64
// bytes, the vector has the SHA-256.
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
