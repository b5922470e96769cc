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
	"strconv"
	"text/tabwriter"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/sshcmd"
	"github.com/unimac/unimac/sshpatch"
)

// A link is a connection of a client and a server in this process, over the
// loopback interface. The server compares what it is sent with the sources,
// which it reads for itself.
type link struct {
	client      *ssh.Client
	mac, cipher string // negotiated
	sources     []*source
}

// newLink connects, with keys made for the occasion on both sides.
func newLink(mac, cipher string, sources []*source) (*link, error) {
	config, err := sshcmd.Config([]string{mac}, []string{cipher})
	if err != nil {
		return nil, err
	}
	hostKey, err := newSigner()
	if err != nil {
		return nil, err
	}
	userKey, err := newSigner()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	l := &link{sources: sources}
	server := &ssh.ServerConfig{
		Config: config,
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if !bytes.Equal(key.Marshal(), userKey.PublicKey().Marshal()) {
				return nil, errors.New("another key")
			}
			return nil, nil
		},
	}
	server.AddHostKey(hostKey)
	go l.serve(listener, server)
	l.client, err = ssh.Dial("tcp", listener.Addr().String(), &ssh.ClientConfig{
		Config:          config,
		User:            "demo",
		Auth:            []ssh.AuthMethod{ssh.PublicKeys(userKey)},
		HostKeyCallback: ssh.FixedHostKey(hostKey.PublicKey()),
		Timeout:         10 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	l.mac, l.cipher = sshcmd.Negotiated(l.client.Conn)
	return l, nil
}

func newSigner() (ssh.Signer, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	return ssh.NewSignerFromKey(key)
}

// serve is the server, of one client.
func (l *link) serve(listener net.Listener, config *ssh.ServerConfig) {
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
	for newChannel := range channels {
		n, err := strconv.Atoi(string(newChannel.ExtraData()))
		if err != nil || n < 0 || n >= len(l.sources) {
			newChannel.Reject(ssh.ConnectionFailed, "no such source")
			continue
		}
		channel, requests, err := newChannel.Accept()
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		go func() {
			defer channel.Close()
			result := "the same"
			err := l.sources[n].read(func(want io.Reader) error {
				same, err := sameData(channel, want)
				if err == nil && !same {
					err = errDiffers
				}
				return err
			})
			if err != nil {
				result = cli.Reason(err)
			}
			io.WriteString(channel, result)
		}()
	}
}

// send sends a source across and returns how long it took until the server had
// all of it and had found it to be the same.
func (l *link) send(n int) (time.Duration, error) {
	start := time.Now()
	channel, requests, err := l.client.OpenChannel("demo@unimac", []byte(strconv.Itoa(n)))
	if err != nil {
		return 0, err
	}
	defer channel.Close()
	go ssh.DiscardRequests(requests)
	err = l.sources[n].read(func(r io.Reader) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{channel}, struct{ io.Reader }{r}, make([]byte, 1<<20))
		return err
	})
	if err != nil {
		return 0, err
	}
	if err := channel.CloseWrite(); err != nil {
		return 0, err
	}
	result, err := io.ReadAll(channel)
	elapsed := time.Since(start)
	if err == nil && string(result) != "the same" {
		err = fmt.Errorf("the server says: %s", result)
	}
	return elapsed, err
}

var errDiffers = errors.New("what came across is not what was sent")

// demoSSH sends the sources across a connection that UMAC authenticates, and
// compares its speed with that of the MAC that x/crypto/ssh would use.
func demoSSH(w io.Writer, sources []*source) error {
	const mac, cipher = sshpatch.UMAC128ETM, ssh.CipherAES128CTR
	l, err := newLink(mac, cipher, sources)
	if err != nil {
		return err
	}
	defer l.client.Close()
	if l.mac != mac || l.cipher != cipher {
		return fmt.Errorf("%s and %s were negotiated, want %s and %s", l.mac, l.cipher, mac, cipher)
	}
	fmt.Fprintf(w, "SSH from 127.0.0.1 to 127.0.0.1, server and client of golang.org/x/crypto/ssh\n")
	fmt.Fprintf(w, "MAC %s, cipher %s\n", l.mac, l.cipher)
	for i, s := range sources {
		if _, err := l.send(i); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(w, "%s: went across and is the same\n", s.name)
	}
	return demoSpeed(w, cipher, mac, sshpatch.UMAC64ETM, ssh.HMACSHA256ETM)
}

// demoTime is how long demoSpeed measures. Only tests change it.
var demoTime = 2 * time.Second

// demoSpeed measures connections that differ in their MAC alone. They take
// turns, so that whatever else the machine does falls on all of them, and the
// best turn of each counts.
func demoSpeed(w io.Writer, cipher string, macs ...string) error {
	data := ownData(ownDataSize)
	links := make([]*link, len(macs))
	for i, mac := range macs {
		l, err := newLink(mac, cipher, []*source{data})
		if err != nil {
			return fmt.Errorf("%s: %w", mac, err)
		}
		defer l.client.Close()
		if l.mac != mac {
			return fmt.Errorf("%s was negotiated, want %s", l.mac, mac)
		}
		links[i] = l
	}
	best := make([]time.Duration, len(links))
	const atLeast, atMost = 2, 10
	for turn, start := 0, time.Now(); turn < atLeast || turn < atMost && time.Since(start) < demoTime; turn++ {
		for i, l := range links {
			elapsed, err := l.send(0)
			if err != nil {
				return fmt.Errorf("%s: %w", l.mac, err)
			}
			if turn == 0 || elapsed < best[i] {
				best[i] = elapsed
			}
		}
	}
	last := len(links) - 1
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(tw, "MAC NEGOTIATED\tMB/s\t\n")
	for i, l := range links {
		comparison := ""
		if i != last {
			comparison = fmt.Sprintf("%.2f × %s", best[last].Seconds()/best[i].Seconds(), links[last].mac)
		}
		fmt.Fprintf(tw, "%s\t%.0f\t%s\n", l.mac, float64(data.size)/1e6/best[i].Seconds(), comparison)
	}
	return tw.Flush()
}
