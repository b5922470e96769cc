// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/unimac/unimac/aegis"
)

// If you control both ends, random nonces are the simplest choice.
func ExampleNewWithRandomNonce() {
	key := make([]byte, aegis.AEGIS256X2.KeySize())
	rand.Read(key)
	aead, err := aegis.NewWithRandomNonce(aegis.AEGIS256X2, key)
	if err != nil {
		log.Fatal(err)
	}
	sealed := aead.Seal(nil, nil, []byte("a message"), []byte("its header"))
	opened, err := aead.Open(nil, nil, sealed, []byte("its header"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", opened)

	sealed[40] ^= 1
	if _, err := aead.Open(nil, nil, sealed, []byte("its header")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// a message
	// aegis: message authentication failed
}

// A protocol that requires AEAD_AEGIS128L uses 16-byte tags, and its messages are
// numbered. After a restart or a restored snapshot, it must agree on a new key.
func ExampleNewWithTagSize() {
	key := []byte("an example's key") // a real key must be random
	aead, err := aegis.NewWithTagSize(aegis.AEGIS128L, key, 16)
	if err != nil {
		log.Fatal(err)
	}
	nonce := make([]byte, aead.NonceSize())
	nonce[15] = 1 // the message number; never use it again under this key
	fmt.Printf("%x\n", aead.Seal(nil, nonce, []byte("a message"), nil))
	// Output:
	// 391c65f8ce73c7823f3bbfc046a7c3a812f501f23d8ca2e0a8
}

// Several messages are authenticated under one key and one nonce, which is zero here.
func ExampleMAC() {
	key := []byte("an example's key of 32 bytes ...")
	mac, err := aegis.NewMAC(aegis.AEGIS256X2, key, nil, 16)
	if err != nil {
		log.Fatal(err)
	}
	for _, message := range []string{"a message", "another message"} {
		mac.Reset()
		if _, err := io.Copy(mac, strings.NewReader(message)); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%x\n", mac.Sum(nil))
	}
	// Output:
	// 4040da28b1aefb7706a35738692fd192
	// 2172af78cc0516566a5421768334a22d
}

// This is an attack: somebody else chooses the additional data, and it matters which
// key a message belongs to. For any two keys, the attacker computes additional data
// with which the same ciphertext opens under both. To prevent the attack, pass the hash
// of the data instead.
func Example_commitment() {
	sealed := unhex("6767106705af0b37857848" + "33136a1cda0bc07fde1ab77960a5e6b2614eb009c55fc461459824f71310a091")
	messages := []struct{ key, additionalData string }{
		{"the first secret", "ac447bd92206500df85a3b8aa94af31def99cffdab3cea995fdaefbf48f8faf0" +
			"59331d061645fe8c07c99f6d245a93ddbe93601b21b30689e138e6017d0060e0" +
			"0a33d00f9b46f20392796b5877fd317b2c1878fba4514358d7f2897e44fc4760" +
			"e9be34e79e2887e5888ac290474161da00b880bd9835e6bc29c17f957484f889"},
		{"the other secret", "e8d145e308309c24d854e71d86da4839fe2703b290b6485c357ba13b085f5ca1" +
			"70ec6eea3b96838c49f7c5880fb4e7e95d49e22a8a3460de2ef835b66ba4f8ac" +
			"9f694c9c96c6dc0de0a226b1441d61dfb427d34c0d3f0c775324dac81523dc30" +
			"a471946c61f3bb6687ed3dcd06b121793d3e5497e6ec217c27847a314f82accb"},
	}
	nonce := make([]byte, aegis.AEGIS128L.NonceSize())
	for _, m := range messages {
		aead, err := aegis.New(aegis.AEGIS128L, []byte(m.key))
		if err != nil {
			log.Fatal(err)
		}
		opened, err := aead.Open(nil, nonce, sealed, unhex(m.additionalData))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", m.key, opened)
	}

	// If the data is hashed, such data cannot be found.
	var tags []string
	for _, m := range messages {
		aead, err := aegis.New(aegis.AEGIS128L, []byte(m.key))
		if err != nil {
			log.Fatal(err)
		}
		hash := sha256.Sum256(unhex(m.additionalData))
		tags = append(tags, string(aead.Seal(nil, nonce, []byte("open sesame"), hash[:])))
	}
	fmt.Println("equal with the hash:", tags[0] == tags[1])
	// Output:
	// the first secret: open sesame
	// the other secret: open sesame
	// equal with the hash: false
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		log.Fatal(err)
	}
	return b
}
