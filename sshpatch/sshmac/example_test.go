// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshmac_test

import (
	"encoding/binary"
	"fmt"
	"log"

	"github.com/unimac/unimac/sshpatch/sshmac"
)

// A transport writes the sequence number, which becomes the nonce, and then the packet.
func ExampleNew() {
	// The key exchange produces a different key for each direction.
	mac, err := sshmac.New(sshmac.UMAC64ETM, []byte("abcdefghijklmnop"))
	if err != nil {
		log.Fatal(err)
	}
	for sequence, packet := range []string{"first packet", "second packet"} {
		mac.Reset()
		binary.Write(mac, binary.BigEndian, uint32(sequence))
		mac.Write([]byte(packet))
		fmt.Printf("%x\n", mac.Sum(nil))
	}
	// Output:
	// 4a2edf93f6f8468e
	// fd8765678fe3297f
}
