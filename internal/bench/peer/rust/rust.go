// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package rust runs the ChaCha20-Poly1305 of the Rust crates aws-lc-rs and ring.
package rust

import (
	"embed"
	"encoding/binary"
	"sync"
	"time"

	"github.com/unimac/unimac/internal/bench/peer/cargo"
)

// Versions are those of the crates.
const Versions = "aws-lc-rs 1.19.0, ring 0.17.14"

// The crates.
const (
	AWSLC = "aws-lc-rs"
	Ring  = "ring"
)

//go:embed Cargo.toml Cargo.lock src/main.rs
var source embed.FS

var program = sync.OnceValues(func() (string, error) { return cargo.Build(source) })

// Seal starts a process that seals msg by a crate, without additional data. The loop
// measures itself; stop ends the process.
func Seal(crate string, dst, key, nonce, msg []byte) (loop func(n int) time.Duration, stop func(), err error) {
	return run(crate, "seal", dst, key, nonce, msg)
}

// Open starts a process that opens what Seal made.
func Open(crate string, dst, key, nonce, sealed []byte) (loop func(n int) time.Duration, stop func(), err error) {
	return run(crate, "open", dst, key, nonce, sealed)
}

func run(crate, work string, dst, key, nonce, text []byte) (loop func(n int) time.Duration, stop func(), err error) {
	path, err := program()
	if err != nil {
		return nil, nil, err
	}
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return cargo.Run(dst, [][]byte{key, nonce, length, text}, path, crate, work)
}
