// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
)

// Random fills input with random bytes.
func Random(input []byte, rng *rand.Rand) {
	for ; len(input) >= 8; input = input[8:] {
		binary.LittleEndian.PutUint64(input, rng.Uint64())
	}
	for i := range input {
		input[i] = byte(rng.Uint32())
	}
}

// Fixed returns the test with inputs of zeros in class 0 and random ones in class
// 1, as for a key or a message.
func Fixed(name string, size int, run func(input []byte)) Test {
	return Test{
		Name: name + ", zeros or random", Size: size, Run: run,
		Input: func(class int, input []byte, rng *rand.Rand) {
			if Random(input, rng); class == 0 {
				clear(input)
			}
		},
	}
}

// accepted is where answers go: it keeps their computation in the program.
//
//lint:ignore U1000 it is only written
var accepted bool

// Tags returns the tests of a function that verifies a tag, given the right one:
// with the first or the last byte wrong, right or wrong in one random bit, and
// right or random.
func Tags(name string, tag []byte, verify func(tag []byte) bool) []Test {
	right := bytes.Clone(tag)
	test := func(classes string, input func(class int, input []byte, rng *rand.Rand)) Test {
		return Test{
			Name: name + ", tag " + classes, Size: len(right), Input: input,
			// The answer is stored, not asked: a branch on it would be seen.
			Run: func(input []byte) { accepted = verify(input) },
		}
	}
	return []Test{
		test("wrong in the first or the last byte", func(class int, input []byte, rng *rand.Rand) {
			copy(input, right)
			input[class*(len(input)-1)] ^= 1 + byte(rng.IntN(255))
		}),
		test("right or wrong in a bit", func(class int, input []byte, rng *rand.Rand) {
			copy(input, right)
			input[rng.IntN(len(input))] ^= byte(class) << rng.IntN(8)
		}),
		test("right or random", func(class int, input []byte, rng *rand.Rand) {
			if Random(input, rng); class == 0 {
				copy(input, right)
			}
		}),
	}
}
