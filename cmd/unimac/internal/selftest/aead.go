// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/unimac/unimac/aead"
)

// An aeadAnswer is what sealing the pattern of n bytes gives. Key, nonce,
// additional data and the SHA-256 of the result are in hexadecimal digits.
type aeadAnswer struct {
	name       string
	new        func(key []byte, tagSize int) (cipher.AEAD, error)
	key, nonce string
	ad         string
	n, tagSize int
	sum        string
}

// aeadAnswers are from testdata.
var aeadAnswers = []aeadAnswer{
	{"ChaCha20-BLAKE2b", aead.NewWithTagSize, "f80c84e5a2f3c7754bd16de55d7cbdb20bd811ac695e3eeecaa7d3591b9c9c1f", "a8da8372cb86bc46", "4ccb907da2571a1672f42b7c1af62150", 65536, 32, "4cf1a01305cc8ca2960a6639a54079efa487fac4e92aabab6c916b4686c7a31b"},
	{"ChaCha20-BLAKE2b", aead.NewWithTagSize, "af54a2d49cacd732f53582c17ed03c233c885583e98622ae8df205009a3fb260", "756dac456147a8f4", "d9183f188e02d385689700c7b243ce36", 65536, 48, "ee7c1c936529ce0bb4fe1f0b3edf1fdf016d9e6c4da14e8e70e090e8e938da8c"},
	{"ChaCha20-BLAKE2b", aead.NewWithTagSize, "4d484529c142a13b8d2e666b9db52823c65bcf8e110157c1b42852c5ab8007c2", "d408c7a0c1448f85", "208817e7fa60f3b8173d28091ba8d6c1", 65536, 64, "f9198456d92dba34159d39857b9cffae6cea5875644c3a18d647eb777c7f44bd"},
	{"XChaCha20-BLAKE2b", aead.NewXWithTagSize, "6b828f0389080b13fd19da1221a5e16e9f776b7f3fc9e86d22669e3abc749868", "d0c9fea2491f8c1fd3dcee7d07188d450599cd7bcbb54b24", "e593076f94edee4a564c9b5a2c164ed4", 65536, 32, "1c64296acebaa74ebb25f7f6b2a28e93df34fc6f56d36fa4a8d3e3a7aed394dc"},
	{"XChaCha20-BLAKE2b", aead.NewXWithTagSize, "f46fa64afb539459216063a26b017a74e4523b8a23d9b6148e2ae05a42888c6e", "52fe2c3a7fc8d1621360eb4ddfb4923e86f3abcf637d4aad", "74e04503cc36a7977fa9d9f346e7317d", 65536, 48, "001c12e9f250588f5f4e680aa3ddda97fcde0ffcbd79261431ef7459ac349cc9"},
	{"XChaCha20-BLAKE2b", aead.NewXWithTagSize, "16d3f7249243ec3b6eaef91563a205342e32bd18e0c661fbe95f921a531803d3", "1d5544d97402c6d080c9ef62374343082fb05213bb27230d", "e8121e3041c732a107b2c37365d56b87", 65536, 64, "0509072cc51c9bc03a55383bb7db3a3a6af2751c483d6e54dc207b753c050d21"},
	{"XChaCha20-BLAKE2b-SIV", aead.NewSIVWithTagSize, "b658be69e1e1c921e05743f794fb971e2ce5d3a325b3ee2c2574ec943f708c02", "", "a1ffb66dc36a0ed97f2601e2bdff4625", 65536, 32, "092c74c6dcf51d349ac06aeb5b0db7d210b7708afc2bcb9b1f93abb798a7ea10"},
	{"XChaCha20-BLAKE2b-SIV", aead.NewSIVWithTagSize, "826e888d9ec551046e011e658ed14befaf5d28986978c0fd1a26e86aefbfffd8", "", "02089e53c711155ae282895a5cbffa7a", 65536, 48, "db35259e60977bf2a87416aa3042e85a6d6990cc108133a75cbb4fb45beafc5c"},
	{"XChaCha20-BLAKE2b-SIV", aead.NewSIVWithTagSize, "394f9990ade7383d6a7bdcaa35ff989c9ea0811bf9daa2ef05b6cdf7baf30f1b", "", "d39884f468be63c05def6e00cee900a9", 65536, 64, "90712b4b40a77338cc2351604fbe20262aff4798f51028ab23dac4a0e0ba09a9"},
}

func testAEAD() error {
	for _, a := range aeadAnswers {
		key, _ := hex.DecodeString(a.key)
		nonce, _ := hex.DecodeString(a.nonce)
		ad, _ := hex.DecodeString(a.ad)
		c, err := a.new(key, a.tagSize)
		if err != nil {
			return err
		}
		sealed := c.Seal(nil, nonce, pattern(a.n), ad)
		if sum := sha256.Sum256(sealed); hex.EncodeToString(sum[:]) != a.sum {
			return fmt.Errorf("%s with tags of %d bytes: sealing: %w", a.name, a.tagSize, errWrongAnswer)
		}
		opened, err := c.Open(nil, nonce, sealed, ad)
		if err != nil || !bytes.Equal(opened, pattern(a.n)) {
			return fmt.Errorf("%s with tags of %d bytes: opening: %w", a.name, a.tagSize, errWrongAnswer)
		}
		sealed[a.n/2] ^= 1
		if _, err := c.Open(nil, nonce, sealed, ad); err == nil {
			return fmt.Errorf("%s with tags of %d bytes: opening what was changed: %w", a.name, a.tagSize, errWrongAnswer)
		}
	}
	return nil
}
