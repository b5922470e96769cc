// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/unimac/unimac/aegis"
)

// aegisAnswers are what a reference in Python gives, for each variant: the SHA-256 of all
// that testAEGIS seals, with tags of 32 bytes, and of all codes, of 16.
var aegisAnswers = []struct {
	variant aegis.Variant
	sum     string
}{
	{aegis.AEGIS128L, "446cfaf105def4e81cedea53c868df93a7f6e4f782dfb4a5afcdbfdaca2d2487"},
	{aegis.AEGIS128X2, "bc760e005d7165dc431fa83ef7033ddf103ce10cdf9bfe6de318acd3db768ba3"},
	{aegis.AEGIS128X4, "d27eb4d8fb9dd989d4d38b850f1995e74595b66c5cfe1d16305729637860a552"},
	{aegis.AEGIS256, "37d1e9d6ebf896040358d795462b3ea72dd5eff910b4cd683b9e6d6d7d34c270"},
	{aegis.AEGIS256X2, "1a1fb389b476fede25c856dd6c86eaced769a7d539882f64f4ab3264cffb35ad"},
	{aegis.AEGIS256X4, "0dcd45996b44d10cb4a0f622fae9375ada3e5719abfc9ae7067b8c226d343ba1"},
}

func testAEGIS() error {
	for _, a := range aegisAnswers {
		key := pattern(a.variant.KeySize())
		c, err := aegis.New(a.variant, key)
		if err != nil {
			return err
		}
		mac, err := aegis.NewMAC(a.variant, key, nil, 16)
		if err != nil {
			return err
		}
		all := sha256.New()
		for _, n := range []int{0, 64, 1420, 65537} {
			sealed := c.Seal(nil, key, pattern(n), pattern(13))
			all.Write(sealed)
			mac.Reset()
			mac.Write(pattern(n))
			all.Write(mac.Sum(nil))
			opened, err := c.Open(nil, key, sealed, pattern(13))
			if err != nil || !bytes.Equal(opened, pattern(n)) {
				return fmt.Errorf("%v, %d bytes: opening: %w", a.variant, n, errWrongAnswer)
			}
			sealed[n/2] ^= 1
			if _, err := c.Open(nil, key, sealed, pattern(13)); err == nil {
				return fmt.Errorf("%v, %d bytes: opening what was changed: %w", a.variant, n, errWrongAnswer)
			}
		}
		if got := hex.EncodeToString(all.Sum(nil)); got != a.sum {
			return fmt.Errorf("%v: %w", a.variant, errWrongAnswer)
		}
	}
	return nil
}
