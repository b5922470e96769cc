// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "clib.h"
#include <nettle/umac.h>
#include <nettle/version.h>
#include <stdlib.h>

#define NAME(n) #n
#define VERSION(major, minor) NAME(major) "." NAME(minor)

const char *nettle_version(void) { return VERSION(NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR); }

static int umac64(size_t n, const work *w, void **state) {
	struct umac64_ctx *ctx = *state;
	if (ctx == NULL) {
		ctx = *state = malloc(sizeof *ctx);
		umac64_set_key(ctx, w->key.data);
		umac64_set_nonce(ctx, w->nonce.len, w->nonce.data);
	}
	for (; n > 0; n--) {
		umac64_update(ctx, w->msg.len, w->msg.data);
		umac64_digest(ctx, UMAC64_DIGEST_SIZE, w->out.data);
	}
	return 1;
}

static int umac128(size_t n, const work *w, void **state) {
	struct umac128_ctx *ctx = *state;
	if (ctx == NULL) {
		ctx = *state = malloc(sizeof *ctx);
		umac128_set_key(ctx, w->key.data);
		umac128_set_nonce(ctx, w->nonce.len, w->nonce.data);
	}
	for (; n > 0; n--) {
		umac128_update(ctx, w->msg.len, w->msg.data);
		umac128_digest(ctx, UMAC128_DIGEST_SIZE, w->out.data);
	}
	return 1;
}

// The nonce counts up from message to message.
int nettle_umac(size_t n, const work *w, void **state) {
	return w->out.len == UMAC64_DIGEST_SIZE ? umac64(n, w, state) : umac128(n, w, state);
}
