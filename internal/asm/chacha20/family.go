// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// A member of the family is ChaCha20 or Salsa20. They differ in where the words of their states
// come from, and in the quarter round; the layouts, the counters, what transposes and what
// encrypts are the same.
type member struct {
	// words has a letter for each word of the state: c, constant; k, key; n, nonce; t, counter.
	words string

	// wide is the double round of the wide layout on registers, with others in between.
	wide func(k *kernel, x []VecVirtual) amd64.Code
}

var chachaMember = &member{
	words: "cccckkkkkkkkttnn",
	wide:  func(k *kernel, x []VecVirtual) amd64.Code { return DoubleRound(&k.Arithmetic, x) },
}

var salsaMember = &member{words: "ckkkkcnnttckkkkc", wide: salsaDoubleRound}

// part returns which part of the initial state a word is of, and the how many-th word of that.
func (m *member) part(word int) (part byte, i int) {
	part = m.words[word]
	return part, strings.Count(m.words[:word], string(part))
}

// counter returns where the lower and upper halves of the counter are.
func (m *member) counter() [2]int {
	low := strings.IndexByte(m.words, 't')
	return [2]int{low, low + 1}
}

// initial is where a word of the initial state is in memory, for all but the counter.
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
