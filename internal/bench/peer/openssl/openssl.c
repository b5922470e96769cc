// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "loops.h"
#include <openssl/evp.h>

int openssl_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len) {
	static EVP_MAC_CTX *ctx;
	if (ctx == NULL) {
		EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
		ctx = EVP_MAC_CTX_new(mac);
		EVP_MAC_free(mac);
	}
	int ok = ctx != NULL;
	for (size_t size = 16; n > 0 && ok; n--) {
		ok = EVP_MAC_init(ctx, key, 32, NULL) && EVP_MAC_update(ctx, msg, len) && EVP_MAC_final(ctx, tag, &size, size);
	}
	return ok;
}

int openssl_loop_chacha20(size_t n, uint8_t *out, const uint8_t *key, const uint8_t *iv, const uint8_t *msg, size_t len) {
	static EVP_CIPHER_CTX *ctx;
	if (ctx == NULL) {
		ctx = EVP_CIPHER_CTX_new();
		if (ctx == NULL || !EVP_EncryptInit_ex(ctx, EVP_chacha20(), NULL, NULL, NULL)) {
			return 0;
		}
	}
	int ok = 1, written;
	for (; n > 0 && ok; n--) {
		ok = EVP_EncryptInit_ex(ctx, NULL, NULL, key, iv) && EVP_EncryptUpdate(ctx, out, &written, msg, len);
	}
	return ok;
}
