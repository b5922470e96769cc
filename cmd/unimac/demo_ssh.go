// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"text/tabwriter"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/sshcmd"
	"github.com/unimac/unimac/sshpatch"
)

// A link is a connection of a client and a server in this process, over the
// loopback interface. The server knows what it should be sent.
type link struct {
	client *ssh.Client
	best   time.Duration
}

// newLink connects, with a key made for the occasion on the server's side.
func newLink(mac, cipher string, want []byte) (*link, error) {
	config, err := sshcmd.Config([]string{mac}, []string{cipher})
	if err != nil {
		return nil, err
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	hostKey, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	server := &ssh.ServerConfig{Config: config, NoClientAuth: true}
	server.AddHostKey(hostKey)
	go serveLink(listener, server, want)
	client, err := ssh.Dial("tcp", listener.Addr().String(), &ssh.ClientConfig{
		Config:          config,
		User:            "demo",
		HostKeyCallback: ssh.FixedHostKey(hostKey.PublicKey()),
		Timeout:         10 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	if m, c := sshcmd.Negotiated(client.Conn); m != mac || c != cipher {
		client.Close()
		return nil, fmt.Errorf("%s and %s were negotiated, want %s and %s", m, c, mac, cipher)
	}
	return &link{client: client}, nil
}

// sameAnswer is what the server says if it got what it wants.
const sameAnswer = "the same"

// serveLink is the server, of one client, whose channels come one after the other.
func serveLink(listener net.Listener, config *ssh.ServerConfig, want []byte) {
	netConn, err := listener.Accept()
	if err != nil {
		return
	}
	defer netConn.Close()
	_, channels, requests, err := ssh.NewServerConn(netConn, config)
	if err != nil {
		return // the client tells why
	}
	go ssh.DiscardRequests(requests)
	got := make([]byte, len(want)+1) // with room for a byte too many
	for newChannel := range channels {
		channel, requests, err := newChannel.Accept()
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		if n, _ := io.ReadFull(channel, got); bytes.Equal(got[:n], want) {
			io.WriteString(channel, sameAnswer)
		}
		channel.Close()
	}
}

// send sends data across. It notes the least time that it took until the server had all of
// them and had found them to be the same.
func (l *link) send(data []byte) error {
	start := time.Now()
	channel, requests, err := l.client.OpenChannel("demo@unimac", nil)
	if err != nil {
		return err
	}
	defer channel.Close()
	go ssh.DiscardRequests(requests)
	if _, err := channel.Write(data); err != nil && err != io.EOF { // the server says why
		return err
	}
	channel.CloseWrite()
	result, err := io.ReadAll(channel)
	if err == nil && string(result) != sameAnswer {
		err = errors.New("what came across is not what was sent")
	}
	if elapsed := time.Since(start); l.best == 0 || elapsed < l.best {
		l.best = elapsed
	}
	return err
}

// demoTime is how long demoSSH measures. Only tests change it.
var demoTime = 2 * time.Second

// demoSSH sends the data across connections that differ in their MAC alone: two of UMAC, and
// the one that x/crypto/ssh would use. They take turns, so that whatever else the machine
// does falls on all of them, and the best turn of each counts.
func demoSSH(w io.Writer, data []byte) error {
	const cipher = ssh.CipherAES128CTR
	macs := []string{sshpatch.UMAC128ETM, sshpatch.UMAC64ETM, ssh.HMACSHA256ETM}
	links := make([]*link, len(macs))
	for i, mac := range macs {
		var err error
		if links[i], err = newLink(mac, cipher, data); err != nil {
			return fmt.Errorf("SSH with %s: %w", mac, err)
		}
		defer links[i].client.Close()
	}
	const atLeast, atMost = 2, 10
	for turn, start := 0, time.Now(); turn < atLeast || turn < atMost && time.Since(start) < demoTime; turn++ {
		for i, l := range links {
			if err := l.send(data); err != nil {
				return fmt.Errorf("SSH with %s: %w", macs[i], err)
			}
		}
	}
	fmt.Fprintf(w, "SSH from 127.0.0.1 to 127.0.0.1, server and client of golang.org/x/crypto/ssh\n")
	fmt.Fprintf(w, "Cipher %s: the data went across and are the same; of each MAC the best of a few transfers\n\n", cipher)
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(tw, "MAC NEGOTIATED\tMB/s\tRATIO\n")
	for i, l := range links {
		fmt.Fprintf(tw, "%s\t%.0f\t%.2f\n", macs[i], float64(len(data))/1e6/l.best.Seconds(), links[len(links)-1].best.Seconds()/l.best.Seconds())
	}
	return tw.Flush()
}
