// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include <stddef.h>
#include <stdint.h>

const char *ipsecmb_version(void);

// ipsecmb_loop_poly1305 computes a tag n times and reports whether the library was
// content. One thread at a time may call it.
int ipsecmb_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len);

// ipsecmb_loop_aead seals, or opens, n times by ChaCha20-Poly1305 without additional data.
// Each job is flushed: the caller wants its answer before the next. The tag that was
// computed goes to tag.
int ipsecmb_loop_aead(size_t n, int seal, uint8_t *out, uint8_t *tag, const uint8_t *key, const uint8_t *nonce, const uint8_t *text, size_t len);
