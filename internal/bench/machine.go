// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/unimac/unimac/internal/bench/peer/clib"
	"github.com/unimac/unimac/internal/bench/peer/rust"
	"github.com/unimac/unimac/internal/bench/record"
	"github.com/unimac/unimac/internal/cpu"
)

func newRecord(name string) *record.Record {
	var features []string
	for _, l := range cpu.Levels() {
		if l.Available() {
			features = append(features, l.String())
		}
	}
	_, system := record.Processor()
	r := &record.Record{
		Name: name, Processor: system, Features: strings.Join(features, " "), Peers: versions(),
		Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
	}
	r.Date, r.Commit = record.Now()
	return r
}

var peerModules = map[string]string{
	"golang.org/x/crypto":          "x/crypto",
	"lukechampine.com/blake3":      "lukechampine.com/blake3",
	"github.com/minio/highwayhash": "minio/highwayhash",
}

func versions() string {
	all := []string{clib.Versions(), rust.Versions()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if name := peerModules[m.Path]; name != "" {
				all = append(all, name+" "+m.Version)
			}
		}
	}
	return strings.Join(all, ", ")
}
