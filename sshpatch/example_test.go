// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch_test

import (
	"fmt"
	"log"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/sshpatch"
)

func ExampleRegister() {
	if err := sshpatch.Register(); err != nil {
		log.Fatal(err)
	}
	// The ciphers that x/crypto/ssh prefers authenticate by themselves: a MAC
	// is used with the others alone. Peers without UMAC take the second MAC.
	algorithms := ssh.Config{
		Ciphers: []string{ssh.CipherAES128CTR},
		MACs:    []string{sshpatch.UMAC128ETM, ssh.HMACSHA256ETM},
	}
	client := &ssh.ClientConfig{Config: algorithms} // and User, Auth, HostKeyCallback
	server := &ssh.ServerConfig{Config: algorithms} // and PublicKeyCallback

	client.SetDefaults()
	server.SetDefaults()
	fmt.Println(client.MACs)
	fmt.Println(server.MACs)
	// Output:
	// [umac-128-etm@openssh.com hmac-sha2-256-etm@openssh.com]
	// [umac-128-etm@openssh.com hmac-sha2-256-etm@openssh.com]
}
