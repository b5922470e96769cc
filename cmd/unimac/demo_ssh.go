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
	"slices"
	"text/tabwriter"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/sshcmd"
	"github.com/unimac/unimac/sshpatch"
)

// newLink starts an in-process server and connects to it. The server checks that each
// channel's data is a prefix of want.
func newLink(mac, cipher string, want []byte) (*ssh.Client, error) {
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
	return client, nil
}

// sameAnswer is the format of the server's answer to the expected data.
const sameAnswer = "%d bytes, the same"

// serveLink accepts one client and serves its channels one at a time.
func serveLink(listener net.Listener, config *ssh.ServerConfig, want []byte) {
	netConn, err := listener.Accept()
	if err != nil {
		return
	}
	defer netConn.Close()
	_, channels, requests, err := ssh.NewServerConn(netConn, config)
	if err != nil {
		return // the client reports the error
	}
	go ssh.DiscardRequests(requests)
	got := make([]byte, len(want)+1) // the extra byte detects excess data
	for newChannel := range channels {
		channel, requests, err := newChannel.Accept()
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		if n, _ := io.ReadFull(channel, got); bytes.HasPrefix(want, got[:n]) {
			fmt.Fprintf(channel, sameAnswer, n)
		}
		channel.Close()
	}
}

// send sends data, waits for the server to verify it, and returns the elapsed time.
func send(link *ssh.Client, data []byte) (time.Duration, error) {
	start := time.Now()
	channel, requests, err := link.OpenChannel("demo@unimac", nil)
	if err != nil {
		return 0, err
	}
	defer channel.Close()
	go ssh.DiscardRequests(requests)
	if _, err := channel.Write(data); err != nil && err != io.EOF { // io.EOF: the server's answer explains it
		return 0, err
	}
	channel.CloseWrite()
	result, err := io.ReadAll(channel)
	if err == nil && string(result) != fmt.Sprintf(sameAnswer, len(data)) {
		err = errors.New("the received data differs from the data sent")
	}
	return time.Since(start), err
}

// demoTime is the minimum duration of the measurement. Only tests change it.
var demoTime = 1500 * time.Millisecond

// demoPart is the number of bytes sent in each timed transfer. It is twice the SSH
// window, so that no transfer can finish before the peer has enlarged the window.
const demoPart = 4 << 20

// demoSSH sends data over SSH connections with different MACs but the same cipher. It
// then sends part of the data repeatedly to measure each connection's speed.
func demoSSH(w io.Writer, data []byte) error {
	const cipher = ssh.CipherAES128CTR
	macs := []string{sshpatch.UMAC128ETM, sshpatch.UMAC64ETM, ssh.HMACSHA256ETM}
	links := make([]*ssh.Client, len(macs))
	for i, mac := range macs {
		var err error
		if links[i], err = newLink(mac, cipher, data); err == nil {
			defer links[i].Close()
			_, err = send(links[i], data)
		}
		if err != nil {
			return fmt.Errorf("SSH with %s: %w", mac, err)
		}
	}
	part := data[:min(len(data), demoPart)]
	var rounds [][]time.Duration
	for start := time.Now(); len(rounds) < 3 || time.Since(start) < demoTime; {
		round := make([]time.Duration, len(links))
		for i, l := range links {
			var err error
			if round[i], err = send(l, part); err != nil {
				return fmt.Errorf("SSH with %s: %w", macs[i], err)
			}
		}
		rounds = append(rounds, round)
	}
	fmt.Fprintf(w, "SSH from 127.0.0.1 to 127.0.0.1, server and client of golang.org/x/crypto/ssh\n")
	fmt.Fprintf(w, "Cipher %s: the data was transferred and verified; medians of %d transfers of %d bytes\n\n", cipher, len(rounds), len(part))
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(tw, "MAC NEGOTIATED\tMB/s\tRATIO\n")
	for i, mac := range macs {
		seconds, ratio := medians(rounds, i, len(macs)-1)
		fmt.Fprintf(tw, "%s\t%.0f\t%.2f\n", mac, float64(len(part))/1e6/seconds, ratio)
	}
	return tw.Flush()
}

// medians returns two medians over all rounds: link i's time in seconds, and the other
// link's time divided by link i's time. Medians are used rather than minimums because a
// busy machine may disturb a link in every round.
func medians(rounds [][]time.Duration, i, other int) (seconds, ratio float64) {
	var all, ratios []float64
	for _, round := range rounds {
		all = append(all, round[i].Seconds())
		ratios = append(ratios, float64(round[other])/float64(round[i]))
	}
	slices.Sort(all)
	slices.Sort(ratios)
	return all[len(all)/2], ratios[len(ratios)/2]
}
