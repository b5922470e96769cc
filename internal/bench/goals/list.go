// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package goals

// All returns every goal.
func All() []Goal {
	const kiB = 1 << 10
	speed := func(ratio float64) Ratio { return Ratio{SpeedAtLeast: ratio} }
	time := func(ratio float64) Ratio { return Ratio{TimeAtMost: ratio} }
	large, packet := []int{16 * kiB, 64 * kiB}, []int{1420}
	// Enough of "every size" to meet each threshold; the charts have more.
	few := []int{1, 8, 16, 17, 31, 32, 48, 63, 64, 65, 100, 128, 129, 256, 288, 384, 512, 1024, 1420, 4096}
	some := func(least int) []int {
		return append([]int{least, 4, 416, 448, 576, 640, 768, 2048, 16 * kiB, 64 * kiB}, few...)
	}
	return []Goal{
		{"UMAC-64, 16 KiB", "umac-64", []int{16 * kiB}, "unimac", "nettle", speed(3.3)},
		{"UMAC-64, 1 KiB", "umac-64", []int{kiB}, "unimac", "nettle", speed(1.8)},
		{"UMAC-64, 32 B", "umac-64", []int{32}, "unimac", "nettle", time(0.5)},
		{"UMAC-64, 64 messages of 32 B", "umac-64-batch", []int{32}, "unimac", "nettle", time(0.3)},
		{"UMAC-128, 16 KiB", "umac-128", []int{16 * kiB}, "unimac", "nettle", speed(2.3)},
		{"Poly1305, 16 KiB", "poly1305", []int{16 * kiB}, "unimac", "openssl", speed(1.35)},
		{"Poly1305, 16 KiB, AVX2 alone", "poly1305", []int{16 * kiB}, "unimac-avx2", "x-crypto", speed(1.9)},
		{"Poly1305, 64 KiB", "poly1305", []int{64 * kiB}, "unimac", "intel-ipsec-mb", speed(1.15)},
		{"Poly1305, 1 KiB", "poly1305", []int{kiB}, "unimac", "x-crypto", speed(2.2)},
		{"Poly1305, 16 to 64 B", "poly1305", []int{16, 24, 32, 40, 48, 56, 64}, "unimac", "x-crypto", speed(1)},
		{"Multimixer-128 digest, 8 KiB", "multimixer-digest", []int{8 * kiB}, "unimac", "crate", speed(1.8)},
		{"MAC on Multimixer-128, 64 KiB", "multimixer-mac", []int{64 * kiB}, "unimac", "crypto-hmac", speed(10)},
		{"keyed BLAKE2b, 64 KiB", "blake2b", []int{64 * kiB}, "unimac", "x-crypto", speed(1.15)},
		{"keyed BLAKE2b, eight messages of 64 KiB", "blake2b-8", []int{64 * kiB}, "unimac", "x-crypto", speed(4.5)},
		{"MultiMAC, 16 B and 512 B", "multimac", []int{512}, "unimac", "x-crypto", time(0.65)},
		{"ChaCha20, 16 KiB", "chacha20", []int{16 * kiB}, "unimac", "openssl", speed(1)},
		{"ChaCha20-BLAKE2b Seal, 16 KiB", "chacha20-blake2b-seal", []int{16 * kiB}, "unimac", "libsodium", speed(1.5)},
		{"ChaCha20-BLAKE2b Seal, 16 KiB", "chacha20-blake2b-seal", []int{16 * kiB}, "unimac", "unimac-blake2b-alone", speed(0.93)},
		{"ChaCha20-BLAKE2b Seal, 512 B", "chacha20-blake2b-seal", []int{512}, "unimac", "libsodium", time(0.65)},
		{"ChaCha20-BLAKE2b Open, 16 KiB", "chacha20-blake2b-open", []int{16 * kiB}, "unimac", "libsodium", speed(1.5)},
		{"ChaCha20-BLAKE2b Open, 16 KiB", "chacha20-blake2b-open", []int{16 * kiB}, "unimac", "unimac-blake2b-alone", speed(0.93)},
		{"ChaCha20-BLAKE2b Seal, 16 KiB, AVX2 alone", "chacha20-blake2b-seal", []int{16 * kiB}, "unimac-avx2", "libsodium", speed(1.5)},
		{"ChaCha20-BLAKE2b Open, 16 KiB, AVX2 alone", "chacha20-blake2b-open", []int{16 * kiB}, "unimac-avx2", "libsodium", speed(1.5)},
		{"ChaCha20-Poly1305 Seal, 16 and 64 KiB", "chacha20-poly1305-seal", large, "unimac", "intel-ipsec-mb", speed(1.05)},
		{"ChaCha20-Poly1305 Seal, 16 and 64 KiB", "chacha20-poly1305-seal", large, "unimac", "openssl", speed(1.25)},
		{"ChaCha20-Poly1305 Seal, 16 and 64 KiB", "chacha20-poly1305-seal", large, "unimac", "x-crypto", speed(1.9)},
		{"ChaCha20-Poly1305 Seal, 16 and 64 KiB", "chacha20-poly1305-seal", large, "unimac", "unimac-chacha20-alone", speed(0.93)},
		{"ChaCha20-Poly1305 Open, 16 and 64 KiB", "chacha20-poly1305-open", large, "unimac", "intel-ipsec-mb", speed(1.05)},
		{"ChaCha20-Poly1305 Open, 16 and 64 KiB", "chacha20-poly1305-open", large, "unimac", "openssl", speed(1.25)},
		{"ChaCha20-Poly1305 Open, 16 and 64 KiB", "chacha20-poly1305-open", large, "unimac", "x-crypto", speed(1.9)},
		{"ChaCha20-Poly1305 Open, 16 and 64 KiB", "chacha20-poly1305-open", large, "unimac", "unimac-chacha20-alone", speed(0.93)},
		{"ChaCha20-Poly1305 Seal, 1420 B", "chacha20-poly1305-seal", packet, "unimac", "intel-ipsec-mb", speed(1.25)},
		{"ChaCha20-Poly1305 Seal, 1420 B", "chacha20-poly1305-seal", packet, "unimac", "x-crypto", speed(2)},
		{"ChaCha20-Poly1305 Open, 1420 B", "chacha20-poly1305-open", packet, "unimac", "intel-ipsec-mb", speed(1.25)},
		{"ChaCha20-Poly1305 Open, 1420 B", "chacha20-poly1305-open", packet, "unimac", "x-crypto", speed(2)},
		{"ChaCha20-Poly1305 Seal, 64 B", "chacha20-poly1305-seal", []int{64}, "unimac", "x-crypto", time(0.65)},
		{"ChaCha20-Poly1305 Open, 64 B", "chacha20-poly1305-open", []int{64}, "unimac", "x-crypto", time(0.65)},
		{"ChaCha20-Poly1305 Seal, AVX2 alone, 1420 B and 16 KiB", "chacha20-poly1305-seal", []int{1420, 16 * kiB}, "unimac-avx2", "x-crypto", speed(1.15)},
		{"ChaCha20-Poly1305 Open, AVX2 alone, 1420 B and 16 KiB", "chacha20-poly1305-open", []int{1420, 16 * kiB}, "unimac-avx2", "x-crypto", speed(1.15)},
		{"ChaCha20-Poly1305 Seal, AVX2 alone, 0 B to 64 KiB", "chacha20-poly1305-seal-sizes", some(0), "unimac-avx2", "x-crypto", speed(1)},
		{"ChaCha20-Poly1305 Open, AVX2 alone, 0 B to 64 KiB", "chacha20-poly1305-open-sizes", some(0), "unimac-avx2", "x-crypto", speed(1)},
		{"SealBatch, 128 packets of 64 B", "chacha20-poly1305-batch", []int{64}, "unimac", "x-crypto", time(0.3)},
		{"SealBatch, 128 packets of 256 B", "chacha20-poly1305-batch", []int{256}, "unimac", "x-crypto", time(0.4)},
		{"SealBatch, 128 packets of 1420 B", "chacha20-poly1305-batch", packet, "unimac", "x-crypto", time(0.45)},
		{"ChaCha20-Poly1305-SIV Seal, 16 KiB", "chacha20-poly1305-siv-seal", []int{16 * kiB}, "unimac", "x-crypto", speed(2.2)},
		{"ChaCha20-Poly1305-SIV Seal, 16 KiB", "chacha20-poly1305-siv-seal", []int{16 * kiB}, "unimac", "unimac-chacha20-blake2b", speed(4)},
		{"ChaCha20-Poly1305-SIV Seal, 16 KiB, AVX2 alone", "chacha20-poly1305-siv-seal", []int{16 * kiB}, "unimac-avx2", "x-crypto", speed(1.15)},
		{"ChaCha20-Poly1305-SIV Seal, 64 B", "chacha20-poly1305-siv-seal", []int{64}, "unimac", "x-crypto", time(1.7)},
		{"ChaCha20-Poly1305-SIV Seal, 1420 B", "chacha20-poly1305-siv-seal", packet, "unimac", "x-crypto", time(0.85)},
		{"ChaCha20-Poly1305-SIV SealBatch, 128 packets of 256 B", "chacha20-poly1305-siv-seal-batch", []int{256}, "unimac", "x-crypto", time(0.5)},
		{"ChaCha20-Poly1305-SIV Open, 16 KiB", "chacha20-poly1305-siv-open", []int{16 * kiB}, "unimac", "x-crypto", speed(2.6)},
		{"ChaCha20-Poly1305-SIV Open, 16 KiB", "chacha20-poly1305-siv-open", []int{16 * kiB}, "unimac", "unimac-chacha20-blake2b", speed(4)},
		{"ChaCha20-Poly1305-SIV Open, 16 KiB, AVX2 alone", "chacha20-poly1305-siv-open", []int{16 * kiB}, "unimac-avx2", "x-crypto", speed(1.15)},
		{"ChaCha20-Poly1305-SIV Open, 64 B", "chacha20-poly1305-siv-open", []int{64}, "unimac", "x-crypto", time(1.7)},
		{"ChaCha20-Poly1305-SIV Open, 1420 B", "chacha20-poly1305-siv-open", packet, "unimac", "x-crypto", time(0.85)},
		{"ChaCha20-Poly1305-SIV OpenBatch, 128 packets of 256 B", "chacha20-poly1305-siv-open-batch", []int{256}, "unimac", "x-crypto", time(0.5)},
		{"BLAKE2b, Sum512, 0 B to 64 KiB", "blake2b-sum-sizes", some(0), "unimac", "x-crypto", speed(1)},
		{"BLAKE2b, New with a key, Write, Sum, 0 B to 64 KiB", "blake2b-new-sizes", some(0), "unimac", "x-crypto", speed(1)},
		{"BLAKE2b, Writes of 1 to 4096 B", "blake2b-write-sizes", few, "unimac", "x-crypto", speed(1)},
		{"Poly1305 Sum, 1 B to 64 KiB", "poly1305-sum-sizes", some(1), "unimac", "x-crypto", speed(1)},
		{"Poly1305, Writes of 1 to 4096 B", "poly1305-write-sizes", few, "unimac", "x-crypto", speed(1)},
		{"stream seal, 64 MiB, one thread", "stream-seal", []int{64 << 20}, "unimac", "x-chacha20poly1305", speed(0.85)},
		{"stream open, 64 MiB, one thread", "stream-open", []int{64 << 20}, "unimac", "x-chacha20poly1305", speed(0.85)},
		{"stream seal, 64 MiB, one thread, AVX2 alone", "stream-seal", []int{64 << 20}, "unimac-avx2", "x-chacha20poly1305", speed(0.85)},
		{"stream open, 64 MiB, one thread, AVX2 alone", "stream-open", []int{64 << 20}, "unimac-avx2", "x-chacha20poly1305", speed(0.85)},
		{"stream seal, 64 MiB, two threads", "stream-seal-2threads", []int{64 << 20}, "unimac", "unimac-one-thread", speed(1.7)},
		{"stream open, 64 MiB, two threads", "stream-open-2threads", []int{64 << 20}, "unimac", "unimac-one-thread", speed(1.7)},
		{"ChunkedChaCha20Poly1305 seal, 64 MiB, one thread", "stream-formats-seal", []int{64 << 20}, "unimac", "x-chacha20poly1305", speed(2.3)},
		{"ChunkedChaCha20Poly1305 seal, 64 MiB, one thread, AVX2 alone", "stream-formats-seal", []int{64 << 20}, "unimac-avx2", "x-chacha20poly1305", speed(1.35)},
		{"ChunkedChaCha20Poly1305 seal, 64 MiB, two threads", "stream-formats-seal-2threads", []int{64 << 20}, "unimac", "unimac-one-thread", speed(1.8)},
		{"Cobblestone128 seal, 64 MiB, one thread", "stream-formats-seal", []int{64 << 20}, "unimac-cobblestone128", "crypto-gcm", speed(0.95)},
		{"Cobblestone128 seal, 64 MiB, one thread", "stream-formats-seal", []int{64 << 20}, "unimac-cobblestone128", "pyca", speed(6)},
		{"ChunkedChaCha20Poly1305 open, 64 MiB, one thread", "stream-formats-open", []int{64 << 20}, "unimac", "x-chacha20poly1305", speed(2.3)},
		{"ChunkedChaCha20Poly1305 open, 64 MiB, one thread, AVX2 alone", "stream-formats-open", []int{64 << 20}, "unimac-avx2", "x-chacha20poly1305", speed(1.35)},
		{"ChunkedChaCha20Poly1305 open, 64 MiB, two threads", "stream-formats-open-2threads", []int{64 << 20}, "unimac", "unimac-one-thread", speed(1.8)},
		{"Cobblestone128 open, 64 MiB, one thread", "stream-formats-open", []int{64 << 20}, "unimac-cobblestone128", "crypto-gcm", speed(0.95)},
		{"Cobblestone128 open, 64 MiB, one thread", "stream-formats-open", []int{64 << 20}, "unimac-cobblestone128", "pyca", speed(6)},
		{"SSH, aes128-ctr and umac-128-etm", "ssh", []int{1 << 20}, "umac-128-etm", "hmac-sha2-256-etm", speed(1.3)},
		{"SSH, aes128-ctr and umac-128-etm", "ssh", []int{1 << 20}, "umac-128-etm", "aes128-gcm", speed(1.05)},
	}
}
