// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "loops.h"
#include <string.h>

enum { TAG = 32, MAC_KEY = 64, NONCE = 8 };

static void put_le32(uint8_t *p, size_t v) {
	for (int i = 0; i < 4; i++) {
		p[i] = (uint8_t)(v >> (8 * i));
	}
}

// authenticate computes the tag of one message. The key of the MAC is another for
// each nonce.
static void authenticate(uint8_t *tag, const uint8_t *key, const uint8_t *nonce, text context, text ad, const uint8_t *ciphertext, size_t len) {
	uint8_t salted[128], mac_key[MAC_KEY], lengths[8];
	memcpy(salted, nonce, NONCE);
	memcpy(salted + NONCE, context.data, context.len);
	crypto_generichash(mac_key, MAC_KEY, salted, NONCE + context.len, key, 32);
	put_le32(lengths, ad.len);
	put_le32(lengths + 4, len);
	crypto_generichash_state state;
	crypto_generichash_init(&state, mac_key, MAC_KEY, TAG);
	crypto_generichash_update(&state, ad.data, ad.len);
	crypto_generichash_update(&state, ciphertext, len);
	crypto_generichash_update(&state, lengths, sizeof lengths);
	crypto_generichash_final(&state, tag, TAG);
}

void sodium_loop_seal(size_t n, uint8_t *dst, const uint8_t *key, const uint8_t *enc_key, const uint8_t *nonce, text context, text msg, text ad) {
	for (; n > 0; n--) {
		crypto_stream_chacha20_xor(dst, msg.data, msg.len, nonce, enc_key);
		authenticate(dst + msg.len, key, nonce, context, ad, dst, msg.len);
	}
}
