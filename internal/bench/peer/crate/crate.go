// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package crate runs the Rust crate multimixer-128.
package crate

import (
	"embed"
	"encoding/binary"
	"sync"
	"time"

	"github.com/unimac/unimac/internal/bench/peer/cargo"
)

// Version is that of the crate.
const Version = "0.1.4"

//go:embed Cargo.toml Cargo.lock src/main.rs
var source embed.FS

var program = sync.OnceValues(func() (string, error) { return cargo.Build(source) })

// Digest starts a process that computes the digest of msg under key, which have
// one length. The loop measures itself; stop ends the process.
func Digest(digest, key, msg []byte) (loop func(n int) time.Duration, stop func(), err error) {
	path, err := program()
	if err != nil {
		return nil, nil, err
	}
	load := binary.LittleEndian.AppendUint64([]byte{'L'}, uint64(len(msg)))
	return cargo.Run(digest, [][]byte{load, key, msg}, path)
}
