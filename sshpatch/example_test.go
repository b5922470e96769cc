// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch_test

import (
	"crypto/ed25519"
	"fmt"
	"log"
	"net"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/sshpatch"
)

// A client and a server agree on UMAC. Both run in this program, so that the example is
// complete; the peer may also be another program, such as OpenSSH.
func ExampleRegister() {
	if err := sshpatch.Register(); err != nil { // once, in main or init
		log.Fatal(err)
	}
	algorithms := ssh.Config{
		// AES-GCM and ChaCha20-Poly1305, which come first by default, use no MAC.
		Ciphers: []string{ssh.CipherAES128CTR},
		// A peer without UMAC uses the second MAC.
		MACs: []string{sshpatch.UMAC128ETM, ssh.HMACSHA256ETM},
	}
	client := &ssh.ClientConfig{Config: algorithms} // and User, Auth, HostKeyCallback
	server := &ssh.ServerConfig{Config: algorithms} // and PublicKeyCallback, AddHostKey

	_, hostKey, _ := ed25519.GenerateKey(nil)
	signer, err := ssh.NewSignerFromKey(hostKey)
	if err != nil {
		log.Fatal(err)
	}
	server.NoClientAuth = true // for this example only
	server.AddHostKey(signer)
	client.HostKeyCallback = ssh.FixedHostKey(signer.PublicKey())

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go serve(listener, server)
	conn, err := ssh.Dial("tcp", listener.Addr().String(), client)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	negotiated := conn.Conn.(ssh.AlgorithmsConnMetadata).Algorithms()
	fmt.Println(negotiated.Write.MAC)
	fmt.Println(negotiated.Read.MAC)
	// Output:
	// umac-128-etm@openssh.com
	// umac-128-etm@openssh.com
}

// Accelerate makes every later connection of the program use the faster cipher, whoever
// opens the connection.
func ExampleAccelerate() {
	if err := sshpatch.Accelerate(); err != nil { // once, in main or init
		log.Print(err) // connections work as before
	}
	config := ssh.Config{Ciphers: []string{"chacha20-poly1305@openssh.com"}}
	client := &ssh.ClientConfig{Config: config} // and User, Auth, HostKeyCallback
	server := &ssh.ServerConfig{}               // and PublicKeyCallback, AddHostKey

	_, hostKey, _ := ed25519.GenerateKey(nil)
	signer, err := ssh.NewSignerFromKey(hostKey)
	if err != nil {
		log.Fatal(err)
	}
	server.NoClientAuth = true // for this example only
	server.AddHostKey(signer)
	client.HostKeyCallback = ssh.FixedHostKey(signer.PublicKey())

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go serve(listener, server)
	conn, err := ssh.Dial("tcp", listener.Addr().String(), client)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	fmt.Println(conn.Conn.(ssh.AlgorithmsConnMetadata).Algorithms().Write.Cipher)
	// Output: chacha20-poly1305@openssh.com
}

// serve serves one connection, which offers no channels or requests.
func serve(listener net.Listener, config *ssh.ServerConfig) {
	conn, err := listener.Accept()
	if err != nil {
		log.Fatal(err)
	}
	server, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		log.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	for channel := range channels {
		channel.Reject(ssh.Prohibited, "an example")
	}
	server.Close()
}

func ExampleAlgorithms() {
	for _, name := range sshpatch.Algorithms() {
		fmt.Println(name)
	}
	// Output:
	// umac-128-etm@openssh.com
	// umac-128@openssh.com
	// umac-64-etm@openssh.com
	// umac-64@openssh.com
}
