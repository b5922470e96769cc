// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
	"golang.org/x/sys/unix"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/sshpatch"
)

// endsSoon waits for a process and returns its status. If the process does not end in
// time, endsSoon kills it.
func endsSoon(t *testing.T, cmd *exec.Cmd) syscall.WaitStatus {
	t.Helper()
	timer := time.AfterFunc(soon, func() {
		t.Error("the program did not end in time")
		cmd.Process.Kill()
	})
	defer timer.Stop()
	cmd.Wait()
	return cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// TestExecLocalFailure writes more output than fits in a channel's window to files
// whose writing fails. The remote command would run for hours.
func TestExecLocalFailure(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	const output = "head -c 5000000 /dev/zero"
	for _, tt := range []struct{ name, script, command, stderr string }{
		{"full device", `exec "$@" >/dev/full`, output, "unimac ssh exec: standard output: no space left on device\n"},
		{"full device, little output", `exec "$@" >/dev/full`, "echo", "unimac ssh exec: standard output: no space left on device\n"},
		{"full device for errors", `exec "$@" 2>/dev/full`, output + " >&2", ""},
		{"limited file", `ulimit -f 100; exec "$@" >` + filepath.Join(t.TempDir(), "file"), output, "unimac ssh exec: standard output: file too large\n"},
		{"closed pipe", `{ "$@"; echo "status $?" >&2; } | head -c 1 >/dev/null`, output, "status 141\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := os.Stat("/dev/full"); err != nil {
				t.Skip(err)
			}
			cmd := clitest.ViaShell(t, tt.script, "ssh", "exec", "-i", s.identity, "-known-hosts", s.known, s.address, tt.command+"; sleep 10000")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			status := endsSoon(t, cmd).ExitStatus()
			if piped := strings.Contains(tt.script, "|"); !piped && status != exitSSH || stderr.String() != tt.stderr {
				t.Errorf("got status %d, stderr %q, want %d, %q", status, &stderr, exitSSH, tt.stderr)
			}
		})
	}
}

// busyAddress returns the address of a listener whose queue of connections is full.
func busyAddress(t *testing.T) string {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		t.Cleanup(func() { unix.Close(fd) })
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = unix.Listen(fd, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
	for range 100 {
		conn, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Skip("the listener's queue is not limited")
	return ""
}

// TestExecPhases ends exec in each phase by signals. In phases in which the server is
// silent, it also ends exec by -timeout.
func TestExecPhases(t *testing.T) {
	s := startSite(t)
	reached := make(chan bool, 100)
	silent := listen(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
		reached <- true
		io.Copy(io.Discard, conn)
	}).String()
	startAgent(t, func(conn net.Conn) {
		reached <- true
		io.Copy(io.Discard, conn)
	})
	listing := os.Getenv("SSH_AUTH_SOCK")
	ring := agent.NewKeyring().(agent.ExtendedAgent)
	addKey(t, ring, s.identity)
	startAgent(t, func(conn net.Conn) {
		reached <- true
		agent.ServeAgent(deafAgent{ring}, conn)
	})
	signing := os.Getenv("SSH_AUTH_SOCK")
	running := []string{"-i", s.identity, s.address, "echo; exec sleep 10000"}
	for _, tt := range []struct {
		name, agent string
		args        []string
		answers     bool // the server answers, so -timeout does not apply
	}{
		{"connecting", "", []string{busyAddress(t), "x"}, false},
		{"handshake", "", []string{silent, "x"}, false},
		{"keys of an agent", listing, []string{"-agent", s.address, "x"}, false},
		{"signature of an agent", signing, []string{"-agent", s.address, "x"}, false},
		{"command", "", running, true},
		{"unread output", "", []string{"-i", s.identity, s.address, "head -c 5000000 /dev/zero; sleep 10000"}, true},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, 0} {
			if sig == 0 && tt.answers {
				continue
			}
			t.Run(fmt.Sprint(tt.name, "/", sig), func(t *testing.T) {
				timeout := "1000s"
				if sig == 0 {
					timeout = "1s"
				}
				cmd := program(t, append([]string{"ssh", "exec", "-known-hosts", s.known, "-timeout", timeout}, tt.args...)...)
				cmd.Env = append(cmd.Env, "SSH_AUTH_SOCK="+tt.agent)
				stdin, err := cmd.StdinPipe() // endless input
				if err != nil {
					t.Fatal(err)
				}
				defer stdin.Close()
				stdout, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				switch {
				case tt.answers:
					io.ReadFull(stdout, make([]byte, 1))
				case tt.name == "connecting":
					time.Sleep(time.Second)
				default:
					<-reached
				}
				if time.Sleep(100 * time.Millisecond); sig == 0 {
					if status := endsSoon(t, cmd); status.ExitStatus() != exitSSH {
						t.Errorf("got status %d, want %d", status.ExitStatus(), exitSSH)
					}
				} else if cmd.Process.Signal(sig); endsSoon(t, cmd).Signal() != sig {
					t.Errorf("got %v, want %v", cmd.ProcessState, sig)
				}
			})
		}
	}
}

// TestExecLongCommand runs a silent command for longer than the timeout.
func TestExecLongCommand(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the command takes several seconds")
	}
	s := startSite(t)
	begin := time.Now()
	s.exec("", s.address, "echo in").Want(t, 0, "in\n", "")
	timeout := max(time.Second, 10*time.Since(begin)) // allow for slow machines
	s.exec("", "-timeout", timeout.String(), s.address, fmt.Sprintf("sleep %f; exit 3", 3*timeout.Seconds())).Want(t, 3, "", "")
}

// skipToNewKeys copies the version and the packets of one end up to SSH_MSG_NEWKEYS.
func skipToNewKeys(to io.Writer, from io.Reader) error {
	for b := make([]byte, 1); b[0] != '\n'; {
		if _, err := io.ReadFull(from, b); err != nil {
			return err
		}
		to.Write(b)
	}
	for kind := byte(0); kind != 21; {
		packet := make([]byte, 6)
		if _, err := io.ReadFull(from, packet); err != nil {
			return err
		}
		kind = packet[5]
		packet = append(packet, make([]byte, binary.BigEndian.Uint32(packet)-2)...)
		if _, err := io.ReadFull(from, packet[6:]); err != nil {
			return err
		}
		to.Write(packet)
	}
	return nil
}

// TestNewKeysFail damages the first packet under the new keys, or closes the connection
// before it. Both ends must advise other algorithms.
func TestNewKeysFail(t *testing.T) {
	t.Parallel()
	for _, toServer := range []bool{true, false} {
		for _, flip := range []bool{true, false} {
			t.Run(fmt.Sprintf("to server=%t,flip=%t", toServer, flip), func(t *testing.T) {
				s := startSite(t)
				damage := func(to, from net.Conn) {
					defer to.Close()
					defer from.Close()
					packet := make([]byte, 1024)
					if skipToNewKeys(to, from) != nil || !flip {
						return
					}
					n, _ := from.Read(packet)
					packet[8] ^= 1
					to.Write(packet[:n])
					io.Copy(to, from)
				}
				proxy := listen(t, "tcp", "127.0.0.1:0", func(client net.Conn) {
					server, err := net.Dial("tcp", s.address)
					if err != nil {
						client.Close()
						return
					}
					from, to := client, server
					if !toServer {
						from, to = server, client
					}
					go func() {
						io.Copy(from, to)
						from.Close()
					}()
					damage(to, from)
				}).String()
				writeFile(t, s.known, knownhosts.Line([]string{proxy}, s.host.PublicKey())+"\n")
				for _, mac := range []string{sshpatch.UMAC128ETM, sshpatch.UMAC128} {
					r := s.exec("", "-mac", mac, proxy, "x")
					r.Want(t, 255, "", "; "+otherAlgorithms)
					if flip && !toServer && !strings.Contains(r.Stderr, "ssh: MAC failure") {
						t.Errorf("got stderr %q, want a MAC failure", r.Stderr)
					}
				}
				if !eventually(func() bool { return strings.Count(s.stderr.String(), otherAlgorithms+"\n") == 2 }) {
					t.Errorf("server: got stderr %q, want the advice twice", s.stderr)
				}
				if flip && toServer && strings.Count(s.stderr.String(), "MAC failure") != 2 {
					t.Errorf("server: got stderr %q, want two MAC failures", s.stderr)
				}
			})
		}
	}
	// After other failures in a handshake, there is no such advice.
	s := startSite(t)
	config := &ssh.ClientConfig{User: "eve", HostKeyCallback: ssh.InsecureIgnoreHostKey()}
	if _, err := ssh.Dial("tcp", s.address, config); err == nil {
		t.Error("login without a key: got no error")
	}
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, "SSH-2.0-x\r\n")
	conn.Close()
	if !eventually(func() bool { return strings.Count(s.stderr.String(), "\n") == 2 }) || strings.Contains(s.stderr.String(), otherAlgorithms) {
		t.Errorf("server: got stderr %q, want two lines without the advice", s.stderr)
	}
}
