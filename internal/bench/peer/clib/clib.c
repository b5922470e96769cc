// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "clib.h"

static loop *const loops[] = {
	nettle_umac,
	openssl_poly1305, openssl_chacha20, openssl_aes_gcm_seal, openssl_chacha20_poly1305_seal, openssl_chacha20_poly1305_open,
	sodium_poly1305, sodium_blake2b, sodium_multimac, sodium_chacha20_blake2b, sodium_chacha20_poly1305,
	ipsecmb_poly1305, ipsecmb_seal, ipsecmb_open,
};

int run(int which, size_t n, const work *w, void **state) { return loops[which](n, w, state); }
