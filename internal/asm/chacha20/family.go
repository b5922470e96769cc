// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// A member of the family is ChaCha20 or Salsa20. The two ciphers differ in their
// quarter rounds and in the arrangement of the words in the state. They have the same
// layouts, counters, transposition and encryption.
type member struct {
	// words has one letter for each word of the state: c for a constant, k for the key,
	// n for the nonce and t for the counter.
	words string

	// wide returns the double round of the wide layout on registers.
	wide func(k *kernel, x []VecVirtual) amd64.Code
}

var chachaMember = &member{
	words: "cccckkkkkkkkttnn",
	wide:  func(k *kernel, x []VecVirtual) amd64.Code { return DoubleRound(&k.Arithmetic, x) },
}

var salsaMember = &member{words: "ckkkkcnnttckkkkc", wide: salsaDoubleRound}

// part returns the letter of the part of the initial state to which a word belongs (see
// words), and the word's index within this part.
func (m *member) part(word int) (part byte, i int) {
	part = m.words[word]
	return part, strings.Count(m.words[:word], string(part))
}

// counter returns the word indices of the counter's lower and upper halves.
func (m *member) counter() [2]int {
	low := strings.IndexByte(m.words, 't')
	return [2]int{low, low + 1}
}

// initial returns the memory operand for a word of the initial state. This word must
// not be part of the counter.
func (m *member) initial(word int, sigma, key, nonce Mem) Mem {
	switch part, i := m.part(word); part {
	case 'c':
		return sigma.Offset(4 * i)
	case 'k':
		return key.Offset(4 * i)
	default:
		return nonce.Offset(4 * i)
	}
}
