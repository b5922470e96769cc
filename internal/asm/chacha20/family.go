// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// A member describes a cipher of the family, ChaCha20 or Salsa20.
type member struct {
	// Each letter is a word: c (constant), k (key), n (nonce), t (counter).
	letters string

	wide func(k *kernel, x []VecVirtual) amd64.Code
}

var chachaMember = &member{
	letters: "cccckkkkkkkkttnn",
	wide:    func(k *kernel, x []VecVirtual) amd64.Code { return DoubleRound(&k.Arithmetic, x) },
}

var salsaMember = &member{letters: "ckkkkcnnttckkkkc", wide: salsaDoubleRound}

// part returns word's letter and the number of earlier words with this letter.
func (m *member) part(word int) (part byte, i int) {
	part = m.letters[word]
	return part, strings.Count(m.letters[:word], string(part))
}

func (m *member) counter() [2]int {
	low := strings.IndexByte(m.letters, 't')
	return [2]int{low, low + 1}
}

// initial returns the memory operand for a word other than the counter.
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
