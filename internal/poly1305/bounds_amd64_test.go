// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/mactest/bounds"
)

// TestModelsAMD64 compares what the models make with what the kernels make, to the
// last bit: numbers that are equal modulo p would not do.
func TestModelsAMD64(t *testing.T) {
	for _, tt := range []struct {
		name   string
		blocks int // multiples of so many
		model  func(log *bounds.Log, in *modelInput) [3]number
		kernel func(s *State, msg []byte)
	}{
		{"amd64", 1, amd64Model, func(s *State, msg []byte) { blocksAMD64(s, unsafe.SliceData(msg), len(msg)/BlockSize) }},
		{"avx2", 4, func(log *bounds.Log, in *modelInput) [3]number { return avx2Model(log, in).run() },
			func(s *State, msg []byte) { blocksOnce(s, avx2, msg) }},
		{"avx512ifma", 1, func(log *bounds.Log, in *modelInput) [3]number { return (&ifmaModel{Log: log, in: in}).run() },
			func(s *State, msg []byte) { blocksOnce(s, ifma, msg) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !impl.Available("poly1305", tt.name) {
				t.Skipf("this machine cannot run %s", tt.name)
			}
			for n := tt.blocks; n <= 44; n += tt.blocks {
				for _, in := range modelInputs(n)[:3] {
					in.powerOf = listed
					var log bounds.Log
					want := words(tt.model(&log, in))
					s := State{h: in.h, r: [2]uint64{in.r[0], in.r[1]}}
					if tt.kernel(&s, in.msg); s.h != want {
						t.Fatalf("%d blocks from %x, r = %x: %x, but the model makes %x", n, in.h, s.r, s.h, want)
					}
				}
			}
		})
	}
}

// listed is r^n as powersAMD64 leaves it.
func listed(r [3]uint64, n int) [3]uint64 {
	var list powerList
	powersAMD64(&list[0][0], &r[0])
	i := slices.Index([]int{8, 4, 7, 3, 6, 2, 5, 1, 16}, n)
	return [3]uint64{list[0][i], list[1][i], list[2][i]}
}

// TestSquareModelAMD64 compares the squares among the powers with their model.
func TestSquareModelAMD64(t *testing.T) {
	for _, in := range modelInputs(1) {
		for _, n := range []int{2, 4, 8} {
			w, want := listed(in.r, n), listed(in.r, 2*n)
			var log bounds.Log
			if got := words(squareModel(&log, [3]number{bounds.Word(w[0]), bounds.Word(w[1]), bounds.New(w[2], 4)})); got != want {
				t.Errorf("r = %x: %x squared is %x, but the model makes %x", in.r, w, want, got)
			}
		}
	}
}
