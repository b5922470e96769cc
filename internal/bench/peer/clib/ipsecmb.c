// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "clib.h"

#ifdef __x86_64__
#include <intel-ipsec-mb.h>
#include <string.h>

const char *ipsecmb_version(void) { return imb_get_version_str(); }

static int restricted = IPSECMB_ANY;

void ipsecmb_restrict(int level) { restricted = level; }

// manager returns the library's job manager, or NULL if it cannot be allocated.
static IMB_MGR *manager(void) {
	static IMB_MGR *m;
	if (m == NULL && (m = alloc_mb_mgr(0)) != NULL) {
		IMB_ARCH arch;
		switch (restricted) {
		case IPSECMB_AVX2:
			init_mb_mgr_avx2(m);
			break;
		case IPSECMB_SSE:
			init_mb_mgr_sse(m);
			break;
		default:
			init_mb_mgr_auto(m, &arch);
		}
	}
	return m;
}

// complete submits a job and reports whether it was completed.
static int complete(IMB_MGR *m) {
	IMB_JOB *job = IMB_SUBMIT_JOB(m);
	if (job == NULL) {
		job = IMB_FLUSH_JOB(m);
	}
	return job != NULL && job->status == IMB_STATUS_COMPLETED;
}

// aead runs n jobs of ChaCha20-Poly1305, one after the other, because a caller needs each result before the next
// call. It writes the computed tag to tag.
static int aead(size_t n, int seal, const work *w, size_t len, uint8_t *tag) {
	IMB_MGR *m = manager();
	for (; n > 0 && m != NULL; n--) {
		IMB_JOB *job = IMB_GET_NEXT_JOB(m);
		memset(job, 0, sizeof *job);
		job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
		job->cipher_direction = seal ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
		job->chain_order = seal ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
		job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
		job->enc_keys = job->dec_keys = w->key.data;
		job->key_len_in_bytes = 32;
		job->iv = w->nonce.data;
		job->iv_len_in_bytes = 12;
		job->u.CHACHA20_POLY1305.aad = w->nonce.data; // not read: its length is 0
		job->u.CHACHA20_POLY1305.aad_len_in_bytes = 0;
		job->src = w->msg.data;
		job->dst = w->out.data;
		job->msg_len_to_cipher_in_bytes = job->msg_len_to_hash_in_bytes = len;
		job->auth_tag_output = tag;
		job->auth_tag_output_len_in_bytes = 16;
		if (!complete(m)) {
			return 0;
		}
	}
	return m != NULL;
}

int ipsecmb_seal(size_t n, const work *w, void **state) { return aead(n, 1, w, w->msg.len, w->out.data + w->msg.len); }

int ipsecmb_open(size_t n, const work *w, void **state) {
	uint8_t tag[16];
	return aead(n, 0, w, w->out.len, tag) && memcmp(tag, w->msg.data + w->out.len, sizeof tag) == 0;
}

// The library has no function for Poly1305 alone. A job that only authenticates is completed when it is submitted.
int ipsecmb_poly1305(size_t n, const work *w, void **state) {
	IMB_MGR *m = manager();
	for (; n > 0 && m != NULL; n--) {
		IMB_JOB *job = IMB_GET_NEXT_JOB(m);
		memset(job, 0, sizeof *job);
		job->cipher_mode = IMB_CIPHER_NULL;
		job->cipher_direction = IMB_DIR_ENCRYPT;
		job->chain_order = IMB_ORDER_HASH_CIPHER;
		job->hash_alg = IMB_AUTH_POLY1305;
		job->u.POLY1305._key = w->key.data;
		job->src = w->msg.data;
		job->msg_len_to_hash_in_bytes = w->msg.len;
		job->auth_tag_output = w->out.data;
		job->auth_tag_output_len_in_bytes = 16;
		if (!complete(m)) {
			return 0;
		}
	}
	return m != NULL;
}

#else
const char *ipsecmb_version(void) { return ""; }
void ipsecmb_restrict(int level) {}
int ipsecmb_poly1305(size_t n, const work *w, void **state) { return 0; }
int ipsecmb_seal(size_t n, const work *w, void **state) { return 0; }
int ipsecmb_open(size_t n, const work *w, void **state) { return 0; }
#endif
