// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

// SumBatch appends the tags of several lists to dst, one after the other in the
// order of the lists, and returns the resulting slice. The tags are those that
// [Key.Sum] computes one at a time. Lists and inputs may be of any number and
// length. The memory behind dst that the tags go to must not overlap an input.
func (k *Key) SumBatch(dst []byte, lists ...[][]byte) []byte {
	for _, inputs := range lists {
		dst = k.Sum(dst, inputs...)
	}
	return dst
}
