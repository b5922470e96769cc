// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

#include "loops.h"
#include <intel-ipsec-mb.h>
#include <string.h>

const char *ipsecmb_version(void) { return imb_get_version_str(); }

// The library has no call of its own for Poly1305 alone: it is a job, which is
// done when it is submitted.
int ipsecmb_loop_poly1305(size_t n, uint8_t *tag, const uint8_t *key, const uint8_t *msg, size_t len) {
	static IMB_MGR *manager;
	if (manager == NULL) {
		IMB_ARCH arch;
		if ((manager = alloc_mb_mgr(0)) == NULL) {
			return 0;
		}
		init_mb_mgr_auto(manager, &arch);
	}
	for (; n > 0; n--) {
		IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
		memset(job, 0, sizeof *job);
		job->cipher_mode = IMB_CIPHER_NULL;
		job->cipher_direction = IMB_DIR_ENCRYPT;
		job->chain_order = IMB_ORDER_HASH_CIPHER;
		job->hash_alg = IMB_AUTH_POLY1305;
		job->u.POLY1305._key = key;
		job->src = msg;
		job->msg_len_to_hash_in_bytes = len;
		job->auth_tag_output = tag;
		job->auth_tag_output_len_in_bytes = 16;
		if ((job = IMB_SUBMIT_JOB(manager)) == NULL) {
			job = IMB_FLUSH_JOB(manager);
		}
		if (job == NULL || job->status != IMB_STATUS_COMPLETED) {
			return 0;
		}
	}
	return 1;
}
