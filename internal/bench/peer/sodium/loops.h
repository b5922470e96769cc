// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include <stddef.h>
#include <stdint.h>
#include <sodium.h>

// A text is a message or a buffer.
typedef struct {
	uint8_t *data;
	size_t len;
} text;

// Each does the same n times.
void sodium_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, text msg);
void sodium_loop_blake2b(size_t n, uint8_t *tags, size_t size, text key, text msg, size_t messages);
void sodium_loop_multimac(size_t n, uint8_t *tag, const uint8_t *key1, const uint8_t *key2, text input1, text input2);

// ChaCha20-BLAKE2b. The context has the KDF's lengths behind it; enc_key is what a
// program keeps of the key.
void sodium_loop_seal(size_t n, uint8_t *dst, const uint8_t *key, const uint8_t *enc_key, const uint8_t *nonce, text context, text msg, text ad);

// ChaCha20-Poly1305 as in RFC 8439, without additional data.
void sodium_loop_seal_ietf(size_t n, uint8_t *dst, const uint8_t *key, const uint8_t *nonce, text msg);
