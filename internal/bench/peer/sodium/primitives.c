// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "loops.h"

void sodium_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, text msg) {
	for (; n > 0; n--) {
		crypto_onetimeauth(tag, msg.data, msg.len, key);
	}
}

// The messages are equally long and lie one behind the other, as do their tags.
void sodium_loop_blake2b(size_t n, uint8_t *tags, size_t size, text key, text msg, size_t messages) {
	for (; n > 0; n--) {
		size_t len = msg.len / messages;
		for (size_t i = 0; i < messages; i++) {
			crypto_generichash(tags + i * size, size, msg.data + i * len, len, key.data, key.len);
		}
	}
}

void sodium_loop_multimac(size_t n, uint8_t *tag, const uint8_t *key1, const uint8_t *key2, text input1, text input2) {
	for (; n > 0; n--) {
		uint8_t t1[32], t2[32];
		crypto_generichash(t1, 32, input1.data, input1.len, key1, 32);
		crypto_generichash(t2, 32, input2.data, input2.len, t1, 32);
		crypto_generichash(tag, 32, t2, 32, key2, 32);
	}
}

void sodium_loop_seal_ietf(size_t n, uint8_t *dst, const uint8_t *key, const uint8_t *nonce, text msg) {
	for (; n > 0; n--) {
		crypto_aead_chacha20poly1305_ietf_encrypt(dst, NULL, msg.data, msg.len, NULL, 0, NULL, nonce, key);
	}
}
