// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "loops.h"

enum { TAG = 16 };

// prepare returns a context with the key, for one direction.
static EVP_CIPHER_CTX *prepare(const EVP_CIPHER *cipher, const uint8_t *key, int seal) {
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	if (ctx != NULL && !EVP_CipherInit_ex(ctx, cipher, NULL, key, NULL, seal)) {
		EVP_CIPHER_CTX_free(ctx);
		return NULL;
	}
	return ctx;
}

aead openssl_aead(const char *name, const uint8_t *key) {
	aead a = {NULL, NULL};
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	if (cipher != NULL) {
		a.seal = prepare(cipher, key, 1);
		a.open = prepare(cipher, key, 0);
		EVP_CIPHER_free(cipher);
	}
	return a;
}

void openssl_aead_free(aead a) {
	EVP_CIPHER_CTX_free(a.seal);
	EVP_CIPHER_CTX_free(a.open);
}

int openssl_loop_seal(size_t n, aead a, uint8_t *out, const uint8_t *nonce, const uint8_t *msg, size_t len) {
	int ok = 1, written;
	for (; n > 0 && ok; n--) {
		ok = EVP_EncryptInit_ex(a.seal, NULL, NULL, NULL, nonce) &&
			(len == 0 || EVP_EncryptUpdate(a.seal, out, &written, msg, len)) &&
			EVP_EncryptFinal_ex(a.seal, out + len, &written) &&
			EVP_CIPHER_CTX_ctrl(a.seal, EVP_CTRL_AEAD_GET_TAG, TAG, out + len);
	}
	return ok;
}

int openssl_loop_open(size_t n, aead a, uint8_t *out, const uint8_t *nonce, const uint8_t *sealed, size_t len) {
	int ok = 1, written;
	for (; n > 0 && ok; n--) {
		ok = EVP_DecryptInit_ex(a.open, NULL, NULL, NULL, nonce) &&
			(len == 0 || EVP_DecryptUpdate(a.open, out, &written, sealed, len)) &&
			EVP_CIPHER_CTX_ctrl(a.open, EVP_CTRL_AEAD_SET_TAG, TAG, (void *)(sealed + len)) &&
			EVP_DecryptFinal_ex(a.open, out + len, &written);
	}
	return ok;
}
