// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/json"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/unimac/unimac/internal/impl"
)

// A benchReport is what bench -json prints.
type benchReport struct {
	Version string            `json:"version"`
	Commit  string            `json:"commit,omitempty"`
	Go      string            `json:"go"`
	OS      string            `json:"os"`
	Arch    string            `json:"arch"`
	Kernels map[string]string `json:"kernels"` // by package
	Results []benchResult     `json:"results"`
}

// A benchResult is the speed of one algorithm for messages of one length.
type benchResult struct {
	Kind           string  `json:"kind"`
	Name           string  `json:"name"`
	From           string  `json:"from"`
	Size           int     `json:"size"` // bytes
	BytesPerSecond float64 `json:"bytes_per_second"`
}

func newBenchReport() *benchReport {
	info, _ := debug.ReadBuildInfo()
	version, commit := buildVersion(info)
	r := &benchReport{
		Version: version, Commit: commit, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Kernels: make(map[string]string),
	}
	for _, pkg := range impl.Packages() {
		r.Kernels[pkg] = impl.InUse(pkg)
	}
	return r
}

func (r *benchReport) add(t *benchTable) {
	for i, c := range t.rows {
		for j, speed := range t.speeds[i] {
			r.Results = append(r.Results, benchResult{t.title, c.name, c.origin, benchSizes[j], speed})
		}
	}
}

func (r *benchReport) print(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(r)
}
