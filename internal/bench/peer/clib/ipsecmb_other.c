// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !amd64

#include "clib.h"

const char *ipsecmb_version(void) { return ""; }
int ipsecmb_poly1305(size_t n, const work *w, void **state) { return 0; }
int ipsecmb_seal(size_t n, const work *w, void **state) { return 0; }
int ipsecmb_open(size_t n, const work *w, void **state) { return 0; }
