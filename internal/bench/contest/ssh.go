// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/sshpatch"
)

// sshs compares the ciphers and MACs of SSH connections over loopback. Client and
// server use x/crypto/ssh in this process.
func sshs() Contest {
	protections := []struct {
		cipher, mac       string
		ours, accelerated bool
	}{
		{"aes128-ctr", sshpatch.UMAC128ETM, true, false},
		{"aes128-ctr", sshpatch.UMAC64ETM, true, false},
		{ssh.CipherChaCha20Poly1305, "", true, true},
		{ssh.CipherChaCha20Poly1305, "", false, false},
		{ssh.CipherAES128GCM, "", false, false},
		{"aes128-ctr", ssh.HMACSHA256ETM, false, false},
	}
	c := Contest{Name: "ssh", Title: "SSH over loopback, writes of 1 MiB, with and without Accelerate", Sizes: []int{1 << 20}, Turn: 50 * time.Millisecond}
	for _, p := range protections {
		name, _, _ := strings.Cut(cmp.Or(p.mac, p.cipher), "@")
		label := name
		if p.mac != "" {
			label = p.cipher + ", " + name
		}
		if p.accelerated {
			name, label = "unimac-"+name, label+", Accelerate"
		}
		start := func(size int) (*Work, error) { return startSSH(p.cipher, p.mac, p.accelerated, size) }
		if !p.ours {
			c.Entrants = append(c.Entrants, Entrant{Name: name, Label: label, Start: start})
			continue
		}
		// Between two loops, the connection is idle, except for window adjustments.
		for _, e := range ours(dispatch.Packages(), start, "avx2") {
			e.Name, e.Label = name+strings.TrimPrefix(e.Name, "unimac"), label+strings.TrimPrefix(e.Label, "unimac")
			c.Entrants = append(c.Entrants, e)
		}
	}
	return c
}

//go:linkname cipherModes golang.org/x/crypto/ssh.cipherModes
var cipherModes map[string]unsafe.Pointer

// accelerate returns the ciphers of x/crypto/ssh before and after
// [sshpatch.Accelerate], which cannot be undone. A connection keeps the ciphers with
// which it started.
var accelerate = sync.OnceValues(func() (modes [2]map[string]unsafe.Pointer, err error) {
	if err := sshpatch.Register(); err != nil {
		return modes, err
	}
	modes[0] = maps.Clone(cipherModes)
	err = sshpatch.Accelerate()
	modes[1] = maps.Clone(cipherModes)
	return modes, err
})

// startSSH connects with the given cipher and MAC, which must be empty if the cipher
// needs none.
func startSSH(cipher, mac string, accelerated bool, size int) (*Work, error) {
	modes, err := accelerate()
	if err != nil {
		return nil, err
	}
	maps.Copy(cipherModes, modes[0])
	if accelerated {
		maps.Copy(cipherModes, modes[1])
	}
	config := ssh.Config{Ciphers: []string{cipher}, RekeyThreshold: 1 << 62} // new keys would take new ciphers
	if mac != "" {
		config.MACs = []string{mac}
	}
	client, err := connect(config, size)
	if err != nil {
		return nil, err
	}
	negotiated := client.Conn.(ssh.AlgorithmsConnMetadata).Algorithms().Write
	if negotiated.Cipher != cipher || negotiated.MAC != mac {
		client.Close()
		return nil, fmt.Errorf("%s with %q was negotiated, want %s with %q", negotiated.Cipher, negotiated.MAC, cipher, mac)
	}
	channel, requests, err := client.OpenChannel("sink", nil)
	if err != nil {
		client.Close()
		return nil, err
	}
	go ssh.DiscardRequests(requests)
	data, arrived := data(size, 1), make([]byte, 1)
	w := work(arrived, func(n int) {
		for range n {
			_, err := channel.Write(data)
			must(err)
		}
		// The server lags behind by the amount of data that fits in buffers.
		for range n {
			_, err := io.ReadFull(channel, arrived)
			must(err)
		}
	})
	w.stop = func() { client.Close() }
	return w, nil
}

// connect opens an SSH connection over loopback. The server replies with one byte for
// every size bytes that arrive on a channel.
func connect(config ssh.Config, size int) (*ssh.Client, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		server := &ssh.ServerConfig{Config: config, NoClientAuth: true}
		server.AddHostKey(signer)
		_, channels, requests, err := ssh.NewServerConn(conn, server)
		if err != nil {
			conn.Close()
			return
		}
		go ssh.DiscardRequests(requests)
		for offered := range channels {
			channel, requests, err := offered.Accept()
			if err != nil {
				continue
			}
			go ssh.DiscardRequests(requests)
			go func() {
				for err == nil {
					if _, err = io.CopyN(io.Discard, channel, int64(size)); err == nil {
						_, err = channel.Write([]byte{1})
					}
				}
			}()
		}
	}()
	return ssh.Dial("tcp", listener.Addr().String(), &ssh.ClientConfig{
		Config:          config,
		HostKeyCallback: ssh.FixedHostKey(signer.PublicKey()),
	})
}
