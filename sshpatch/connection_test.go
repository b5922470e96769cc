// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/modcopy"
)

// newKey returns a new key pair for a host or a user.
func newKey(tb testing.TB) (ed25519.PrivateKey, ssh.Signer) {
	tb.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return key, signer
}

// algorithms returns a configuration with one cipher and one MAC. For an AEAD, mac is
// "".
func algorithms(cipher, mac string) ssh.Config {
	config := ssh.Config{Ciphers: []string{cipher}}
	if mac != "" {
		config.MACs = []string{mac}
	}
	return config
}

// connection is a client and a server that are connected over loopback.
type connection struct {
	client *ssh.Client
	server *ssh.ServerConn
	wires  struct{ client, server *wire }
}

// connect connects a client and a server. The server answers requests with their
// payload, and echoes the data of channels until their end.
func connect(tb testing.TB, config ssh.Config) *connection {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	c := new(connection)
	served := make(chan error, 1)
	go func() {
		served <- func() error {
			conn, err := listener.Accept()
			if err != nil {
				return err
			}
			_, host := newKey(tb)
			server := &ssh.ServerConfig{Config: config, NoClientAuth: true}
			server.AddHostKey(host)
			c.wires.server = &wire{Conn: conn}
			var channels <-chan ssh.NewChannel
			var requests <-chan *ssh.Request
			c.server, channels, requests, err = ssh.NewServerConn(c.wires.server, server)
			if err != nil {
				return err
			}
			go answer(channels, requests)
			return nil
		}()
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	c.wires.client = &wire{Conn: conn}
	cc, channels, requests, err := ssh.NewClientConn(c.wires.client, "loopback", &ssh.ClientConfig{
		Config:          config,
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	if err != nil {
		tb.Fatal(err)
	}
	if err := <-served; err != nil {
		tb.Fatal(err)
	}
	c.client = ssh.NewClient(cc, channels, requests)
	tb.Cleanup(func() { c.client.Close(); c.server.Close() })
	return c
}

// answer serves channels and requests. A channel of type "echo" returns its data;
// others discard it.
func answer(channels <-chan ssh.NewChannel, requests <-chan *ssh.Request) {
	go func() {
		for request := range requests {
			request.Reply(true, request.Payload)
		}
	}()
	for offered := range channels {
		channel, requests, err := offered.Accept()
		if err != nil {
			continue
		}
		go ssh.DiscardRequests(requests)
		go func() {
			defer channel.Close()
			to := io.Discard
			if offered.ChannelType() == "echo" {
				to = channel
			}
			io.Copy(to, channel)
		}()
	}
}

// wire is a network connection that, when requested, flips one bit of the data read.
type wire struct {
	net.Conn
	flip atomic.Pointer[func(length int) (at int)]
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if n > 0 {
		if at := w.flip.Swap(nil); at != nil {
			p[(*at)(n)] ^= 0x10
		}
	}
	return n, err
}

// checkNegotiated checks that one end of a connection uses the algorithms in config.
func checkNegotiated(tb testing.TB, conn ssh.ConnMetadata, config ssh.Config) {
	tb.Helper()
	negotiated := conn.(ssh.AlgorithmsConnMetadata).Algorithms()
	for _, direction := range []ssh.DirectionAlgorithms{negotiated.Read, negotiated.Write} {
		mac := ""
		if len(config.MACs) > 0 {
			mac = config.MACs[0]
		}
		if direction.MAC != mac || direction.Cipher != config.Ciphers[0] {
			tb.Errorf("negotiated %s with MAC %q, want %s with %q", direction.Cipher, direction.MAC, config.Ciphers[0], mac)
		}
	}
}

// TestConnection checks that data is echoed unchanged, with several key exchanges, for
// each MAC and each cipher that uses a MAC.
func TestConnection(t *testing.T) {
	size := 2<<20 + 1
	if testing.Short() {
		size = 600<<10 + 1
	}
	for _, cipher := range []string{"aes128-ctr", "aes192-ctr", "aes256-ctr", "aes128-cbc"} {
		for _, mac := range Algorithms() {
			t.Run(cipher+"/"+mac, func(t *testing.T) {
				config := algorithms(cipher, mac)
				config.RekeyThreshold = 256 << 10
				c := connect(t, config)
				checkNegotiated(t, c.client.Conn, config)
				checkNegotiated(t, c.server.Conn, config)
				channel, requests, err := c.client.OpenChannel("echo", nil)
				if err != nil {
					t.Fatal(err)
				}
				go ssh.DiscardRequests(requests)
				data := mactest.Random(size, 1)
				sent := make(chan error, 1)
				go func() {
					_, err := channel.Write(data)
					sent <- errors.Join(err, channel.CloseWrite())
				}()
				got, err := io.ReadAll(channel)
				if err := errors.Join(err, <-sent); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, data) {
					t.Errorf("received %d bytes that differ from the %d bytes sent", len(got), len(data))
				}
			})
		}
	}
}

// TestTamper checks that the reader reports a MAC failure if a bit of the payload, the
// padding length or the tag is flipped, in both directions.
func TestTamper(t *testing.T) {
	places := map[string]func(int) int{
		"padding length": func(int) int { return 4 },
		"payload":        func(length int) int { return length / 2 },
		"tag":            func(length int) int { return length - 1 },
	}
	for _, mac := range Algorithms() {
		for place, at := range places {
			for _, reader := range []string{"client", "server"} {
				t.Run(fmt.Sprintf("%s/%s/%s", mac, place, reader), func(t *testing.T) {
					c := connect(t, algorithms("aes128-ctr", mac))
					question := mactest.Random(1000, 2)
					if _, _, err := c.client.SendRequest("echo", true, question); err != nil {
						t.Fatal(err)
					}
					var failed error
					if reader == "server" {
						c.wires.server.flip.Store(&at)
						c.client.SendRequest("echo", true, question)
						failed = c.server.Wait()
					} else {
						c.wires.client.flip.Store(&at)
						c.client.SendRequest("echo", true, question)
						failed = c.client.Wait()
					}
					if failed == nil || !strings.Contains(failed.Error(), "MAC failure") {
						t.Errorf("the %s reports %v, want a MAC failure", reader, failed)
					}
				})
			}
		}
	}
}

// wrap moves package ssh of an x/crypto to another folder and replaces it with a
// package that forwards each exported name.
func wrap(t *testing.T, crypto modcopy.Tree) {
	t.Helper()
	var wrapper strings.Builder
	fmt.Fprintf(&wrapper, "package ssh\n\nimport wrapped %q\n\n", modcopy.Crypto+"/internal/wrapped")
	for _, name := range crypto.Paths() {
		below, ok := strings.CutPrefix(name, "ssh/")
		if !ok {
			continue
		}
		source := string(crypto[name])
		delete(crypto, name)
		crypto["internal/wrapped/"+below] = []byte(strings.ReplaceAll(source, modcopy.Crypto+"/ssh/internal/", modcopy.Crypto+"/internal/wrapped/internal/"))
		if strings.Contains(below, "/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			for kind, name := range exported(decl) {
				fmt.Fprintf(&wrapper, "%s %s = wrapped.%s\n", kind, name, name)
			}
		}
	}
	crypto["ssh/ssh.go"] = []byte(wrapper.String())
}

// exported yields the keyword and name of each exported name in decl.
func exported(decl ast.Decl) func(yield func(kind, name string) bool) {
	return func(yield func(kind, name string) bool) {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.IsExported() {
				yield("var", decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				var names []*ast.Ident
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = []*ast.Ident{spec.Name}
				case *ast.ValueSpec:
					names = spec.Names
				}
				for _, name := range names {
					if name.IsExported() && !yield(decl.Tok.String(), name.Name) {
						return
					}
				}
			}
		}
	}
}
