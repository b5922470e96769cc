// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include <stddef.h>
#include <stdint.h>
#include <openssl/crypto.h>

// Each does the same n times and reports whether OpenSSL was content. The contexts
// are made once and kept, so one thread at a time may call them.
int openssl_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len);
int openssl_loop_chacha20(size_t n, uint8_t *out, const uint8_t *key, const uint8_t *iv, const uint8_t *msg, size_t len);
int openssl_loop_hmac_sha256(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len);
int openssl_loop_blake2b(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len);
