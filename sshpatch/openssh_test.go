// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/internal/mactest"
)

// Bytes sent in each direction, for few key exchanges or, in long tests, for many.
const (
	rekeyAfter = 1 << 20
	few        = 4*rekeyAfter + 12345
	many       = 20*rekeyAfter + 12345
)

// needOpenSSH returns the path of a program of OpenSSH. If the program is missing,
// needOpenSSH fails the test in CI and skips it elsewhere.
func needOpenSSH(t *testing.T, program string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("runs " + program)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		// sshd may not be in PATH, and requires its full path.
		path, err = exec.LookPath("/usr/sbin/" + program)
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}

// writeFile writes a file that only its owner can access, as OpenSSH requires for keys.
func writeFile(t *testing.T, name string, content []byte) string {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// writeKey writes a private key in OpenSSH's format.
func writeKey(t *testing.T, name string) (string, ssh.Signer) {
	t.Helper()
	key, signer := newKey(t)
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, name, pem.EncodeToMemory(block)), signer
}

// TestClientToSSHD checks that data from a Go client passes unchanged through cat on a
// real sshd.
func TestClientToSSHD(t *testing.T) {
	sshd := needOpenSSH(t, "sshd")
	transferred := few
	if mactest.Whole() {
		transferred = many
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		// sshd needs this folder for privilege separation; normally, its service
		// creates it.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, mac := range Algorithms() {
		t.Run(mac, func(t *testing.T) {
			dir := t.TempDir()
			hostFile, host := writeKey(t, filepath.Join(dir, "host"))
			_, signer := newKey(t)
			authorized := writeFile(t, filepath.Join(dir, "authorized"), ssh.MarshalAuthorizedKey(signer.PublicKey()))
			config := writeFile(t, filepath.Join(dir, "config"), fmt.Appendf(nil, `
				HostKey %s
				AuthorizedKeysFile %s
				Ciphers aes128-ctr
				MACs %s
				RekeyLimit %d
				LogLevel DEBUG
				PermitRootLogin yes
				StrictModes no
				UsePAM no
				PidFile none
			`, hostFile, authorized, mac, rekeyAfter))

			conn, log := startInetd(t, sshd, "-i", "-e", "-f", config)
			client := dial(t, conn, &ssh.ClientConfig{
				Config:          ssh.Config{Ciphers: []string{"aes128-ctr"}, MACs: []string{mac}, RekeyThreshold: rekeyAfter},
				User:            me.Username,
				Auth:            []ssh.AuthMethod{ssh.PublicKeys(signer)},
				HostKeyCallback: ssh.FixedHostKey(host.PublicKey()),
			}, log)
			checkNegotiated(t, client.Conn, algorithms("aes128-ctr", mac))

			session, err := client.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			data := mactest.Random(transferred, 1)
			got := sha256.New()
			session.Stdin, session.Stdout = bytes.NewReader(data), got
			if err := session.Run("cat"); err != nil {
				t.Fatalf("%v\n%s", err, log())
			}
			if want := sha256.Sum256(data); !bytes.Equal(got.Sum(nil), want[:]) {
				t.Error("received different data from the data sent")
			}
			client.Close()
			checkLog(t, log(), mac, transferred)
		})
	}
}

// startInetd starts a program whose standard input and output are one end of a new
// connection. It returns the other end, and a function that waits for the program and
// returns its standard error.
func startInetd(t *testing.T, program string, args ...string) (conn net.Conn, log func() string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err = net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	file, err := accepted.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), program, args...)
	command.Stdin, command.Stdout, command.Stderr = file, file, &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return conn, func() string {
		conn.Close()
		command.Wait()
		return stderr.String()
	}
}

func dial(t *testing.T, conn net.Conn, config *ssh.ClientConfig, log func() string) *ssh.Client {
	t.Helper()
	c, channels, requests, err := ssh.NewClientConn(conn, "sshd", config)
	if err != nil {
		t.Fatalf("%v\n%s", err, log())
	}
	return ssh.NewClient(c, channels, requests)
}

// checkLog checks, in OpenSSH's log, which MAC was used, and that keys were exchanged
// repeatedly while this many bytes were transferred in each direction.
func checkLog(t *testing.T, log, mac string, transferred int) {
	t.Helper()
	for _, direction := range []string{"client->server", "server->client"} {
		want := fmt.Sprintf("kex: %s cipher: aes128-ctr MAC: %s compression: none", direction, mac)
		if n := strings.Count(log, want); n < transferred/rekeyAfter {
			t.Errorf("OpenSSH's log contains %q %d times, want at least %d:\n%s", want, n, transferred/rekeyAfter, log)
		}
		if n, all := strings.Count(log, want), strings.Count(log, "kex: "+direction+" cipher: "); n != all {
			t.Errorf("%d of %d key exchanges selected %s, want all", n, all, mac)
		}
	}
}

// TestSSHToServer checks that data from the real ssh is echoed unchanged by a Go
// server.
func TestSSHToServer(t *testing.T) {
	openssh := needOpenSSH(t, "ssh")
	transferred := few
	if mactest.Whole() {
		transferred = many
	}
	for _, mac := range Algorithms() {
		t.Run(mac, func(t *testing.T) {
			dir := t.TempDir()
			userFile, user := writeKey(t, filepath.Join(dir, "user"))
			_, host := newKey(t)
			config := &ssh.ServerConfig{
				Config: ssh.Config{Ciphers: []string{"aes128-ctr"}, MACs: []string{mac}, RekeyThreshold: rekeyAfter},
				PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
					if !bytes.Equal(key.Marshal(), user.PublicKey().Marshal()) {
						return nil, errors.New("another user")
					}
					return nil, nil
				},
			}
			config.AddHostKey(host)
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			address := listener.Addr().(*net.TCPAddr)
			known := writeFile(t, filepath.Join(dir, "known_hosts"),
				[]byte(knownhosts.Line([]string{address.String()}, host.PublicKey())+"\n"))
			served := make(chan error, 1)
			go func() { served <- serveEcho(t, listener, config) }()

			data := mactest.Random(transferred, 2)
			got := sha256.New()
			var log bytes.Buffer
			command := exec.CommandContext(t.Context(), openssh, "-v", "-F", "none", "-i", userFile, "-l", "anyone",
				"-p", fmt.Sprint(address.Port), "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes",
				"-o", "StrictHostKeyChecking=yes", "-o", "UserKnownHostsFile="+known, "-o", "GlobalKnownHostsFile=none",
				"-o", "Ciphers=aes128-ctr", "-o", "MACs="+mac, "-o", fmt.Sprintf("RekeyLimit=%d", rekeyAfter),
				"127.0.0.1", "echo")
			command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(data), got, &log
			if err := command.Run(); err != nil {
				t.Fatalf("ssh: %v\n%s", err, &log)
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
			if want := sha256.Sum256(data); !bytes.Equal(got.Sum(nil), want[:]) {
				t.Error("received different data from the data sent")
			}
			checkLog(t, log.String(), mac, transferred)
		})
	}
}

// serveEcho serves one connection, on which each command echoes its input.
func serveEcho(t *testing.T, listener net.Listener, config *ssh.ServerConfig) error {
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	server, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return err
	}
	checkNegotiated(t, server.Conn, config.Config)
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, requests, err := offered.Accept()
		if err != nil {
			return err
		}
		for request := range requests {
			request.Reply(request.Type == "exec", nil)
			if request.Type != "exec" {
				continue
			}
			go func() {
				io.Copy(channel, channel)
				channel.SendRequest("exit-status", false, make([]byte, 4))
				channel.Close()
			}()
		}
	}
	return nil
}
