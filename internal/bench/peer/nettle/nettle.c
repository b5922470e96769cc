// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "loops.h"

void nettle_loop_umac64(struct umac64_ctx *ctx, size_t n, uint8_t *tag, const uint8_t *msg, size_t len) {
	for (; n > 0; n--) {
		umac64_update(ctx, len, msg);
		umac64_digest(ctx, UMAC64_DIGEST_SIZE, tag);
	}
}

void nettle_loop_umac128(struct umac128_ctx *ctx, size_t n, uint8_t *tag, const uint8_t *msg, size_t len) {
	for (; n > 0; n--) {
		umac128_update(ctx, len, msg);
		umac128_digest(ctx, UMAC128_DIGEST_SIZE, tag);
	}
}
