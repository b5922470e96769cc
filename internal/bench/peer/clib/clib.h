// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint8_t *data;
	size_t len;
} text;

// A work contains a loop's inputs and output; more is a second key or input.
typedef struct {
	text out, key, nonce, msg, more;
} work;

// A loop does its work n times and returns 0 if the library reported an error. The state is NULL in the first call;
// what a loop stores there, such as a context with the key, is never freed.
typedef int loop(size_t n, const work *w, void **state);

loop nettle_umac;
loop openssl_poly1305, openssl_chacha20, openssl_aes_gcm_seal, openssl_chacha20_poly1305_seal, openssl_chacha20_poly1305_open;
loop sodium_poly1305, sodium_blake2b, sodium_multimac, sodium_chacha20_blake2b, sodium_chacha20_poly1305;
loop ipsecmb_poly1305, ipsecmb_seal, ipsecmb_open;

enum {
	NETTLE_UMAC,
	OPENSSL_POLY1305, OPENSSL_CHACHA20, OPENSSL_AES_GCM_SEAL, OPENSSL_CHACHA20_POLY1305_SEAL, OPENSSL_CHACHA20_POLY1305_OPEN,
	SODIUM_POLY1305, SODIUM_BLAKE2B, SODIUM_MULTIMAC, SODIUM_CHACHA20_BLAKE2B, SODIUM_CHACHA20_POLY1305,
	IPSECMB_POLY1305, IPSECMB_SEAL, IPSECMB_OPEN,
};

// run runs the loop with a number of the list above.
int run(int which, size_t n, const work *w, void **state);

const char *nettle_version(void);
const char *ipsecmb_version(void);

// ipsecmb_restrict chooses the instructions that intel-ipsec-mb uses. It must be called before the first loop.
enum { IPSECMB_ANY, IPSECMB_AVX2, IPSECMB_SSE };
void ipsecmb_restrict(int level);
