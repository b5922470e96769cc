// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package ipsecmb runs Poly1305 and ChaCha20-Poly1305 of Intel's Multi-Buffer Crypto for IPsec, which
// exists for amd64 only. A loop runs in C, in one call; one may run at a time.
package ipsecmb

// Architecture names the variable of the environment that says which kernels the library uses, SSE or
// AVX2; if it is not set, the best that the processor has.
const Architecture = "UNIMAC_BENCH_IPSECMB"
