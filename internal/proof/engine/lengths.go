// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

// Lengths selects one or more of the given lengths for a proof.
type Lengths func(given []int64) []int64

// All selects all lengths.
func All(given []int64) []int64 { return given }

// Some selects the first two lengths, the last one and a few others.
func Some(given []int64) []int64 {
	count := len(given)
	return choose(given, func(i int) bool {
		return i < 2 || i == count-1 || i%max(1, count/6) == count%max(1, count/6)
	})
}

// Edges selects lengths near those at which kernels switch to another code path.
func Edges(given []int64) []int64 {
	return choose(given, func(i int) bool { return i < 64 || (given[i]+1)%64 <= 2 || i == len(given)-1 })
}

// Few selects the longest length, which leaves the most work after the loop.
func Few(given []int64) []int64 { return given[max(0, len(given)-1):] }

func choose(given []int64, is func(i int) bool) (chosen []int64) {
	for i, n := range given {
		if is(i) {
			chosen = append(chosen, n)
		}
	}
	return chosen
}
