// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/unimac/unimac/chacha20poly1305"
)

// A chachaAnswer is what sealing the pattern of n bytes gives. Key, nonce, additional data
// and the SHA-256 of the result are in hexadecimal digits.
type chachaAnswer struct {
	key, nonce, ad string
	n              int
	sum            string
}

// chachaAnswers are what x/crypto gives.
var chachaAnswers = []chachaAnswer{
	{"0faa83f486e427c26bca4e0d038bfe6c5940e6cc468efabc75becbd647616e70", "efd924dbdfa2090f73c6eea4", "cc428431009113aff8e720c1de", 0, "850c016975e4086ba6307708460fd206877c0fd6fdde058eded6131fe7b7dbbe"},
	{"58d1acd2655492b98aa50fcd9fc05da0dbd19774ed5568fd14343f514a1e5d2c", "5a3c5c49993abf1f5e667070", "43d87dd3e5983e839b4cd43baf", 64, "574be24c80e85d70bcdaf4e2028c335f536b9f5d9693c4a50048fd03cdd1d8c5"},
	{"06b53097ad5844bd956d752aa2d7dfd2c434814fea02380d469e74626ab4ebd3", "490c0d678a9cb08af160383f", "a7ccbb896524d0cf964d283351", 1420, "287129e5470d3feb0f06e692d730a4668af13010de9890a9ff50f7f02fab6f72"},
	{"e56ff5271dc5105cdc6a603fdd0fbaaa44439e59998173b10188861395ac580a", "32b90ce8b7080b9cfe9e927f", "65c971ccb63b881645172c9ee7", 65537, "02db646e2c48374a1450e681f3ba148a17cd52fa697a1ccd0a5b173ac05afd7f"},
}

func testChaCha20Poly1305() error {
	for _, a := range chachaAnswers {
		key, _ := hex.DecodeString(a.key)
		nonce, _ := hex.DecodeString(a.nonce)
		ad, _ := hex.DecodeString(a.ad)
		c, err := chacha20poly1305.New(key)
		if err != nil {
			return err
		}
		sealed := c.Seal(nil, nonce, pattern(a.n), ad)
		if sum := sha256.Sum256(sealed); hex.EncodeToString(sum[:]) != a.sum {
			return fmt.Errorf("%d bytes: sealing: %w", a.n, errWrongAnswer)
		}
		opened, err := c.Open(nil, nonce, sealed, ad)
		if err != nil || !bytes.Equal(opened, pattern(a.n)) {
			return fmt.Errorf("%d bytes: opening: %w", a.n, errWrongAnswer)
		}
		sealed[a.n/2] ^= 1
		if _, err := c.Open(nil, nonce, sealed, ad); err == nil {
			return fmt.Errorf("%d bytes: opening what was changed: %w", a.n, errWrongAnswer)
		}
	}
	return nil
}
