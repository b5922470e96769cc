// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include <stddef.h>
#include <stdint.h>

const char *ipsecmb_version(void);

// ipsecmb_loop_poly1305 computes a tag n times and reports whether the library was
// content. One thread at a time may call it.
int ipsecmb_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len);
