// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include <stddef.h>
#include <stdint.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

// Each does the same n times and reports whether OpenSSL was content. The contexts
// are made once and kept, so one thread at a time may call them.
int openssl_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len);
int openssl_loop_chacha20(size_t n, uint8_t *out, const uint8_t *key, const uint8_t *iv, const uint8_t *msg, size_t len);

// An aead is one of EVP's, under one key that is kept, with nonces of 12 bytes and tags of
// 16. Each loop does the same n times, with the same nonce.
typedef struct {
	EVP_CIPHER_CTX *seal, *open;
} aead;

// openssl_aead prepares one, NULL contexts if OpenSSL lacks it.
aead openssl_aead(const char *name, const uint8_t *key);
void openssl_aead_free(aead a);
int openssl_loop_seal(size_t n, aead a, uint8_t *out, const uint8_t *nonce, const uint8_t *msg, size_t len);
int openssl_loop_open(size_t n, aead a, uint8_t *out, const uint8_t *nonce, const uint8_t *sealed, size_t len);
