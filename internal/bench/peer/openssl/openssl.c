// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "loops.h"
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

// new_mac returns the context of a MAC, NULL where this OpenSSL lacks it.
static EVP_MAC_CTX *new_mac(const char *name, const OSSL_PARAM *params) {
	EVP_MAC *mac = EVP_MAC_fetch(NULL, name, NULL);
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
	EVP_MAC_free(mac);
	if (ctx != NULL && params != NULL && !EVP_MAC_CTX_set_params(ctx, params)) {
		EVP_MAC_CTX_free(ctx);
		return NULL;
	}
	return ctx;
}

// mac_loop takes a NULL key for the one that the context has.
static int mac_loop(EVP_MAC_CTX *ctx, size_t n, uint8_t *tag, size_t size, const uint8_t *key, const uint8_t *msg, size_t len) {
	int ok = ctx != NULL;
	for (; n > 0 && ok; n--) {
		ok = EVP_MAC_init(ctx, key, key != NULL ? 32 : 0, NULL) && EVP_MAC_update(ctx, msg, len) && EVP_MAC_final(ctx, tag, &size, size);
	}
	return ok;
}

int openssl_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len) {
	static EVP_MAC_CTX *ctx;
	if (ctx == NULL) {
		ctx = new_mac("POLY1305", NULL);
	}
	return mac_loop(ctx, n, tag, 16, key, msg, len);
}

int openssl_loop_hmac_sha256(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len) {
	static EVP_MAC_CTX *ctx;
	if (ctx == NULL) {
		OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0), OSSL_PARAM_construct_end()};
		ctx = new_mac("HMAC", params);
	}
	// The padded key is hashed once a loop, as in crypto/hmac.
	return ctx != NULL && EVP_MAC_init(ctx, key, 32, NULL) && mac_loop(ctx, n, tag, 32, NULL, msg, len);
}

int openssl_loop_blake2b(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len) {
	static EVP_MAC_CTX *ctx;
	if (ctx == NULL) {
		size_t size = 32;
		OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_construct_end()};
		ctx = new_mac("BLAKE2BMAC", params);
	}
	return mac_loop(ctx, n, tag, 32, key, msg, len);
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
