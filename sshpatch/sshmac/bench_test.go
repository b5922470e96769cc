// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshmac_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/unimac/unimac/sshpatch/sshmac"
)

// BenchmarkPacket writes packets in the pieces in which x/crypto/ssh does: the
// sequence number, the packet's length, that of the padding, the payload and the
// padding.
func BenchmarkPacket(b *testing.B) {
	for _, algorithm := range []string{sshmac.UMAC64ETM, sshmac.UMAC128ETM} {
		for _, size := range []int{16, 64, 256, 1024, 4096, 32 << 10} {
			name, _, _ := strings.Cut(algorithm, "@")
			b.Run(fmt.Sprintf("alg=%s/size=%d", name, size), func(b *testing.B) {
				m := mustNew(b, algorithm, make([]byte, sshmac.KeySize))
				var seq [4]byte
				var n uint32
				packet := make([]byte, 5+size+6)
				tag := make([]byte, 0, 16)
				b.SetBytes(int64(len(packet)))
				b.ReportAllocs()
				for b.Loop() {
					m.Reset()
					n++
					binary.BigEndian.PutUint32(seq[:], n)
					m.Write(seq[:])
					m.Write(packet[:4])
					m.Write(packet[4:5])
					m.Write(packet[5 : 5+size])
					m.Write(packet[5+size:])
					tag = m.Sum(tag[:0])
				}
			})
		}
	}
}
