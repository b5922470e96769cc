// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"crypto/cipher"
	"strings"

	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/internal/bench/peer/rust"
	"github.com/unimac/unimac/umac"
)

const aegisTag = 16

var aegisPackages = []string{"aegis"}

// aegisContests compares each variant of AEGIS with libaegis and with the algorithms
// that a program may use instead, for Seal, Open and MACs.
func aegisContests() []Contest {
	seal, open := sealing("aegis", "AEGIS", false, chachaPolySizes()), sealing("aegis", "AEGIS", true, chachaPolySizes())
	mac := Contest{Name: "aegis-mac", Title: "AEGISMAC from a keyed state", Sizes: sizes(16, 1<<20)}
	for v := aegis.AEGIS128L; v <= aegis.AEGIS256X4; v++ {
		newAEAD := func(key []byte) (cipher.AEAD, error) { return aegis.NewWithTagSize(v, key[:v.KeySize()], aegisTag) }
		seal.Entrants = append(seal.Entrants, aegisVariant(v, "seal", startAEAD(newAEAD, false))...)
		open.Entrants = append(open.Entrants, aegisVariant(v, "open", startAEAD(newAEAD, true))...)
		mac.Entrants = append(mac.Entrants, aegisVariant(v, "mac", func(size int) (*Work, error) {
			m, err := aegis.NewMAC(v, data(v.KeySize(), 1), data(v.NonceSize(), 2), aegisTag)
			if err != nil {
				return nil, err
			}
			return hashWork(m, size), nil
		})...)
	}
	seal.Entrants = append(seal.Entrants, uncommitted(false), aes128GCM(false), opensslGCM())
	open.Entrants = append(open.Entrants, uncommitted(true), aes128GCM(true))
	mac.Entrants = append(mac.Entrants,
		Entrant{Name: "unimac-umac-128", Label: "unimac, UMAC-128", Ours: true, Other: true, Start: startUMAC(umac.Size128)}, gmac())
	return []Contest{seal, open, mac}
}

// aegisVariant returns the entrants for a variant: this module with all instructions,
// this module with AES in 128-bit vectors only, and libaegis.
func aegisVariant(v aegis.Variant, work string, start starter) []Entrant {
	name := aegisName(v)
	entrants := ours(aegisPackages, start, "avx2")
	for i := range entrants {
		e := &entrants[i]
		e.Name = "unimac-" + name + strings.TrimPrefix(e.Name, "unimac")
		e.Label = "unimac, " + v.String() + strings.TrimPrefix(e.Label, "unimac")
	}
	entrants = append(entrants, Entrant{Name: "libaegis-" + name, Label: "libaegis, " + v.String(), Start: libaegis(v, work)})
	for i := range entrants {
		entrants[i].Algorithm = name
	}
	return entrants
}

// aegisName returns libaegis's name for a variant, such as 128l or 256x2.
func aegisName(v aegis.Variant) string {
	return strings.ToLower(strings.TrimPrefix(v.String(), "AEGIS-"))
}

// libaegis returns a starter for the C library libaegis, in the Rust program.
func libaegis(v aegis.Variant, work string) starter {
	return func(size int) (*Work, error) {
		key, nonce, text, chunk, answer := data(v.KeySize(), 1), data(v.NonceSize(), 2), data(size, 4), size, make([]byte, size+aegisTag)
		switch work {
		case "mac":
			text, answer = data(size, 2), answer[:aegisTag]
		case "open":
			a, err := aegis.NewWithTagSize(v, key, aegisTag)
			if err != nil {
				return nil, err
			}
			text, chunk, answer = a.Seal(nil, nonce, text, nil), size+aegisTag, answer[:size]
		}
		return processWork(answer)(rust.Run(answer, aegisName(v), work, chunk, key, nonce, text))
	}
}

func aes128GCM(open bool) Entrant {
	return Entrant{Name: "aes-128-gcm", Label: "AES-128-GCM, crypto/cipher", Other: true, Start: startAEAD(func(key []byte) (cipher.AEAD, error) { return newGCM(key[:16]) }, open)}
}
