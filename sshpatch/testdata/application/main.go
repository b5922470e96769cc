// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The program application connects to itself with each MAC and with ChaCha20-Poly1305,
// and prints the results. Tests build it against altered and patched copies of
// x/crypto.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/fips140"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"slices"

	"golang.org/x/crypto/ssh"
)

// register calls Register in programs that link it.
var register = func() (outcome, reason string) { return "not called", "" }

// accelerate calls Accelerate in programs that link it.
var accelerate = register

type report struct {
	Register       string            // "", "FIPS" or "incompatible"
	Reason         string            // error text
	Accelerate     string            // outcome of Accelerate, like Register
	AccelerateSays string            // error text of Accelerate
	FIPS           bool              // the program runs in FIPS 140-3 mode
	SameDefault    bool              // the default algorithms are unchanged
	Connections    map[string]string // error by MAC; "" if data was transferred in both directions
}

func main() {
	before := defaults()
	r := report{FIPS: fips140.Enabled(), Connections: map[string]string{}}
	r.Register, r.Reason = register()
	r.Accelerate, r.AccelerateSays = accelerate()
	r.SameDefault = slices.Equal(before, defaults())
	for _, mac := range []string{
		"umac-64@openssh.com", "umac-128@openssh.com",
		"umac-64-etm@openssh.com", "umac-128-etm@openssh.com", "hmac-sha2-256",
	} {
		r.try(mac, ssh.Config{Ciphers: []string{"aes128-ctr"}, MACs: []string{mac}})
	}
	const aead = "chacha20-poly1305@openssh.com"
	r.try(aead, ssh.Config{Ciphers: []string{aead}})
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		panic(err)
	}
}

func defaults() []string {
	var config ssh.Config
	config.SetDefaults()
	return slices.Concat(config.MACs, config.Ciphers)
}

// try connects and records the result.
func (r *report) try(name string, config ssh.Config) {
	r.Connections[name] = ""
	if err := connect(config); err != nil {
		r.Connections[name] = err.Error()
	}
}

// connect makes a client and a server exchange data. They have no algorithms except
// those in config.
func connect(config ssh.Config) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	served := make(chan error, 1)
	go func() { served <- serve(listener, config) }()

	client, err := ssh.Dial("tcp", listener.Addr().String(), &ssh.ClientConfig{
		Config:          config,
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	if err != nil {
		return err
	}
	defer client.Close()
	question := bytes.Repeat([]byte("question"), 20000)
	_, answer, err := client.SendRequest("echo", true, question)
	if err != nil {
		return err
	}
	if !bytes.Equal(answer, question) {
		return errors.New("another answer")
	}
	client.Close()
	return <-served
}

// serve answers the requests of one connection with their payload.
func serve(listener net.Listener, config ssh.Config) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return err
	}
	server := &ssh.ServerConfig{Config: config, NoClientAuth: true}
	server.AddHostKey(signer)
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	c, _, requests, err := ssh.NewServerConn(conn, server)
	if err != nil {
		return err
	}
	for request := range requests {
		if err := request.Reply(true, request.Payload); err != nil {
			return err
		}
	}
	if err := c.Wait(); err != io.EOF {
		return err
	}
	return nil
}
