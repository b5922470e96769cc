// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "clib.h"
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

int sodium_poly1305(size_t n, const work *w, void **state) {
	int ok = sodium_init() >= 0;
	for (; n > 0; n--) {
		crypto_onetimeauth(w->out.data, w->msg.data, w->msg.len, w->key.data);
	}
	return ok;
}

// The messages are equally long and lie one behind the other, as do their tags of 32 bytes.
int sodium_blake2b(size_t n, const work *w, void **state) {
	int ok = sodium_init() >= 0;
	size_t messages = w->out.len / 32, len = w->msg.len / messages;
	for (; n > 0; n--) {
		for (size_t i = 0; i < messages; i++) {
			crypto_generichash(w->out.data + i * 32, 32, w->msg.data + i * len, len, w->key.data, w->key.len);
		}
	}
	return ok;
}

// The keys are key and more, the inputs nonce and msg.
int sodium_multimac(size_t n, const work *w, void **state) {
	int ok = sodium_init() >= 0;
	for (; n > 0; n--) {
		uint8_t t1[32], t2[32];
		crypto_generichash(t1, 32, w->nonce.data, w->nonce.len, w->key.data, 32);
		crypto_generichash(t2, 32, w->msg.data, w->msg.len, t1, 32);
		crypto_generichash(w->out.data, 32, t2, 32, w->more.data, 32);
	}
	return ok;
}

static void put_le32(uint8_t *p, size_t v) {
	for (int i = 0; i < 4; i++) {
		p[i] = (uint8_t)(v >> (8 * i));
	}
}

// context writes the nonce, a context and what ends the message of the key derivation, and returns
// the length of all.
static size_t context(uint8_t *p, const text *nonce, const char *name) {
	size_t len = strlen(name);
	memcpy(p, nonce->data, nonce->len);
	memcpy(p + nonce->len, name, len);
	put_le32(p + nonce->len + len, nonce->len);
	put_le32(p + nonce->len + len + 4, len);
	return nonce->len + len + 8;
}

// ChaCha20-BLAKE2b without additional data. A program keeps the key of the cipher; that of the MAC
// is another for each nonce.
int sodium_chacha20_blake2b(size_t n, const work *w, void **state) {
	int ok = sodium_init() >= 0;
	uint8_t message[128], mac_key[64], lengths[8] = {0};
	if (*state == NULL) {
		static const text none = {(uint8_t *)"", 0};
		*state = malloc(32);
		crypto_generichash(*state, 32, message, context(message, &none, "ChaCha20-BLAKE2b 07/12/2021 20:40 ChaCha20.Encrypt()"), w->key.data, 32);
	}
	for (; n > 0; n--) {
		size_t len = context(message, &w->nonce, "ChaCha20-BLAKE2b 07/12/2021 20:41 BLAKE2b.KeyedHash()");
		crypto_stream_chacha20_xor(w->out.data, w->msg.data, w->msg.len, w->nonce.data, *state);
		crypto_generichash(mac_key, sizeof mac_key, message, len, w->key.data, 32);
		put_le32(lengths + 4, w->msg.len);
		crypto_generichash_state mac;
		crypto_generichash_init(&mac, mac_key, sizeof mac_key, 32);
		crypto_generichash_update(&mac, w->out.data, w->msg.len);
		crypto_generichash_update(&mac, lengths, sizeof lengths);
		crypto_generichash_final(&mac, w->out.data + w->msg.len, 32);
	}
	return ok;
}

int sodium_chacha20_poly1305(size_t n, const work *w, void **state) {
	int ok = sodium_init() >= 0;
	for (; n > 0; n--) {
		crypto_aead_chacha20poly1305_ietf_encrypt(w->out.data, NULL, w->msg.data, w->msg.len, NULL, 0, NULL, w->nonce.data, w->key.data);
	}
	return ok;
}
