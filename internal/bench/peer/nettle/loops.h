// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include <stddef.h>
#include <stdint.h>
#include <nettle/umac.h>
#include <nettle/version.h>

// Each computes the tags of n messages, all msg, under n nonces in a row, and
// leaves the last tag.
void nettle_loop_umac64(struct umac64_ctx *ctx, size_t n, uint8_t *tag, const uint8_t *msg, size_t len);
void nettle_loop_umac128(struct umac128_ctx *ctx, size_t n, uint8_t *tag, const uint8_t *msg, size_t len);
