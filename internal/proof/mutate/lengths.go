// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

// some selects the first two lengths, the last one and a few others.
func some(given []int64) []int64 {
	count := len(given)
	return choose(given, func(i int) bool {
		return i < 2 || i == count-1 || i%max(1, count/6) == count%max(1, count/6)
	})
}

// edges selects lengths near those at which kernels switch to another code path.
func edges(given []int64) []int64 {
	return choose(given, func(i int) bool { return i < 64 || (given[i]+1)%64 <= 2 || i == len(given)-1 })
}

func choose(given []int64, is func(i int) bool) (chosen []int64) {
	for i, n := range given {
		if is(i) {
			chosen = append(chosen, n)
		}
	}
	return chosen
}
