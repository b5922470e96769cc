// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"slices"
	"time"

	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/chacha20poly1305"
)

// EverySize returns sizes from one to another that are close enough to show every step.
func EverySize(from, to int) []int {
	list := []int{1420, to}
	for n := from; n < to; {
		list = append(list, n)
		switch {
		case n < 16:
			n += 4 - n%4
		case n < 512:
			n += 8
		default:
			n += n / 24
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(n int) bool { return n > to })
}

// everySize compares ChaCha20-Poly1305 with x/crypto's, at every size. The program dropins looks at
// every other function that has x/crypto's name.
func everySize() []Contest {
	return []Contest{
		chachaPolyEverySize("chacha20-poly1305-seal-sizes", "ChaCha20-Poly1305, Seal, every size from 0 to 64 KiB", false),
		chachaPolyEverySize("chacha20-poly1305-open-sizes", "ChaCha20-Poly1305, Open, every size from 0 to 64 KiB", true),
	}
}

type starter = func(size int) (*Work, error)

// chachaPolyEverySize is a contest with x/crypto at the processor's level and with AVX2 alone.
func chachaPolyEverySize(name, title string, open bool) Contest {
	return Contest{
		Name: name, Title: title, Sizes: EverySize(0, 64<<10), RatioTo: "x-crypto", Turn: 200 * time.Microsecond,
		Entrants: append(levelsOf(chachaPolyPackages, startAEAD(chacha20poly1305.New, open), "avx2"),
			Entrant{Name: "x-crypto", Label: "x/crypto", Start: startAEAD(xchacha20poly1305.New, open)}),
	}
}
