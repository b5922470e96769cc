// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "clib.h"
#include <openssl/evp.h>

enum { TAG = 16 };

int openssl_poly1305(size_t n, const work *w, void **state) {
	if (*state == NULL) {
		EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
		*state = EVP_MAC_CTX_new(mac);
		EVP_MAC_free(mac);
	}
	EVP_MAC_CTX *ctx = *state;
	int ok = ctx != NULL;
	for (size_t size; n > 0 && ok; n--) {
		ok = EVP_MAC_init(ctx, w->key.data, w->key.len, NULL) && EVP_MAC_update(ctx, w->msg.data, w->msg.len) && EVP_MAC_final(ctx, w->out.data, &size, TAG);
	}
	return ok;
}

// keyed keeps a context with the key, for one direction.
static EVP_CIPHER_CTX *keyed(const char *name, const work *w, int seal, void **state) {
	if (*state == NULL) {
		EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
		EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
		if (cipher == NULL || !EVP_CipherInit_ex(ctx, cipher, NULL, w->key.data, NULL, seal)) {
			return NULL;
		}
		EVP_CIPHER_free(cipher);
		*state = ctx;
	}
	return *state;
}

// The nonce has 16 bytes, of which the first 8 are the counter. The key is set for each message.
int openssl_chacha20(size_t n, const work *w, void **state) {
	EVP_CIPHER_CTX *ctx = keyed("ChaCha20", w, 1, state);
	int ok = ctx != NULL, written;
	for (; n > 0 && ok; n--) {
		ok = EVP_EncryptInit_ex(ctx, NULL, NULL, w->key.data, w->nonce.data) && EVP_EncryptUpdate(ctx, w->out.data, &written, w->msg.data, w->msg.len);
	}
	return ok;
}

static int seal(const char *name, size_t n, const work *w, void **state) {
	EVP_CIPHER_CTX *ctx = keyed(name, w, 1, state);
	int ok = ctx != NULL, written;
	for (; n > 0 && ok; n--) {
		ok = EVP_EncryptInit_ex(ctx, NULL, NULL, NULL, w->nonce.data) &&
			(w->msg.len == 0 || EVP_EncryptUpdate(ctx, w->out.data, &written, w->msg.data, w->msg.len)) &&
			EVP_EncryptFinal_ex(ctx, w->out.data + w->msg.len, &written) &&
			EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, w->out.data + w->msg.len);
	}
	return ok;
}

int openssl_aes_gcm_seal(size_t n, const work *w, void **state) { return seal("AES-256-GCM", n, w, state); }

int openssl_chacha20_poly1305_seal(size_t n, const work *w, void **state) { return seal("ChaCha20-Poly1305", n, w, state); }

int openssl_chacha20_poly1305_open(size_t n, const work *w, void **state) {
	EVP_CIPHER_CTX *ctx = keyed("ChaCha20-Poly1305", w, 0, state);
	int ok = ctx != NULL, written;
	size_t len = w->out.len;
	for (; n > 0 && ok; n--) {
		ok = EVP_DecryptInit_ex(ctx, NULL, NULL, NULL, w->nonce.data) &&
			(len == 0 || EVP_DecryptUpdate(ctx, w->out.data, &written, w->msg.data, len)) &&
			EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, w->msg.data + len) &&
			EVP_DecryptFinal_ex(ctx, w->out.data + len, &written);
	}
	return ok;
}
