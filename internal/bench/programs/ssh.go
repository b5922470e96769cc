// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"time"
)

// transfers are what an SSH client is asked to do, by its sftp command.
var transfers = []string{"get", "put"}

// measureSFTPServer moves a file between OpenSSH's sftp and a server that is an example of
// pkg/sftp: x/crypto/ssh with its defaults, so with chacha20-poly1305@openssh.com. Then
// OpenSSH's sshd takes turns with the example with the copy, and with unimac ssh serve.
func measureSFTPServer(m *measurement) error {
	servers, err := m.buildAll("./examples/go-sftp-server")
	if err != nil || *build {
		return err
	}
	file, key := filepath.Join(m.dir, "file"), filepath.Join(m.dir, "id_rsa")
	if err := makeSFTPFiles(m, file, key); err != nil {
		return err
	}
	sshd, err := startSSHD(m)
	if err != nil {
		return err
	}
	defer sshd.stop()
	own, err := startServes(m, key+".pub")
	if err != nil {
		return err
	}
	defer own.stop()
	for _, way := range transfers {
		move := func(b int) error { return throughExample(m, servers[b], way) }
		if err := m.compare(megabytes("OpenSSH's sftp, "+way, *size/2), move); err != nil {
			return err
		}
		if err := m.compare(fmt.Sprintf("the same by sshd, and by the copy (%s)", way), func(b int) error {
			if b == 1 {
				return move(1)
			}
			return sftp(m, way, sshd.port, "-i", key)
		}); err != nil {
			return err
		}
		if err := m.compare(fmt.Sprintf("the same by sshd, and by unimac ssh serve (%s)", way), func(b int) error {
			port := sshd.port
			if b == 1 {
				port = own.at(m).port
			}
			return sftp(m, way, port, "-i", key)
		}); err != nil {
			return err
		}
		if err := command(m.dir, nil, "cmp", file, filepath.Join(m.dir, "moved")); err != nil {
			return err
		}
	}
	return nil
}

// makeSFTPFiles makes a file to move, commands of sftp that move it, and a key. The example
// reads its key, and asks for a password that is in its source.
func makeSFTPFiles(m *measurement, file, key string) error {
	for name, content := range map[string]string{"askpass": "#!/bin/sh\necho tiger\n", "get": "get file moved\n", "put": "put file moved\n"} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(content), 0o700); err != nil {
			return err
		}
	}
	if err := makeFile(file, *size/2); err != nil {
		return err
	}
	return command(m.dir, nil, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
}

// throughExample starts the example, which serves one connection, and moves a file.
func throughExample(m *measurement, server, way string) error {
	cmd := exec.Command(server)
	cmd.Dir = m.dir
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil { // "Listening on"
		return fmt.Errorf("%s: %w", server, err)
	}
	os.Setenv("SSH_ASKPASS", filepath.Join(m.dir, "askpass"))
	os.Setenv("SSH_ASKPASS_REQUIRE", "force")
	return sftp(m, way, 2022, "-oUser=testuser", "-oPubkeyAuthentication=no")
}

// sftp runs OpenSSH's sftp.
func sftp(m *measurement, way string, port int, options ...string) error {
	args := append([]string{"-q", "-oStrictHostKeyChecking=no", "-oUserKnownHostsFile=/dev/null", "-oBatchMode=no", "-P", strconv.Itoa(port)}, options...)
	in, err := os.ReadFile(filepath.Join(m.dir, way))
	if err != nil {
		return err
	}
	return command(m.dir, in, "sftp", append(args, "127.0.0.1:"+m.dir)...)
}

// A daemon is a server that runs until it is stopped.
type daemon struct {
	cmd  *exec.Cmd
	port int
}

func (d *daemon) stop() {
	d.cmd.Process.Kill()
	d.cmd.Wait()
}

// startSSHD starts OpenSSH's sshd for the current user.
func startSSHD(m *measurement) (*daemon, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	key := filepath.Join(m.dir, "id_rsa")
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		return nil, err
	}
	authorized := filepath.Join(m.dir, "authorized")
	if err := os.WriteFile(authorized, public, 0o600); err != nil {
		return nil, err
	}
	config := filepath.Join(m.dir, "sshd_config")
	text := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nSubsystem sftp internal-sftp\n", port, key, authorized)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	os.MkdirAll("/run/sshd", 0o755) // the service's start makes it
	return startDaemon(port, "/usr/sbin/sshd", "-D", "-f", config)
}

// serves are two unimac ssh serve: the second without AVX-512.
type serves [2]*daemon

func startServes(m *measurement, authorized string, options ...string) (s serves, err error) {
	defer os.Setenv("GODEBUG", os.Getenv("GODEBUG"))
	for i, debug := range []string{"", "cpu.avx512f=off"} {
		os.Setenv("GODEBUG", debug)
		if s[i], err = startServe(m, authorized, options...); err != nil {
			s.stop()
			return s, err
		}
	}
	return s, nil
}

func (s serves) stop() {
	for _, d := range s {
		if d != nil {
			d.stop()
		}
	}
}

// at returns the server of a turn.
func (s serves) at(m *measurement) *daemon {
	if m.avx2 {
		return s[1]
	}
	return s[0]
}

// startServe starts unimac ssh serve.
func startServe(m *measurement, authorized string, options ...string) (*daemon, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	args := []string{"ssh", "serve", "-listen", fmt.Sprintf("127.0.0.1:%d", port),
		"-host-key", filepath.Join(m.dir, "host"), "-authorized-keys", authorized}
	return startDaemon(port, m.unimac, append(args, options...)...)
}

func startDaemon(port int, name string, args ...string) (*daemon, error) {
	d := &daemon{exec.Command(name, args...), port}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return d, conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	d.stop()
	return nil, fmt.Errorf("%s does not listen on port %d", name, port)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// measureRclone encrypts and decrypts a folder's files by its crypt remote, and moves a
// file by SFTP to and from unimac's server.
func measureRclone(m *measurement) error {
	rclone, err := m.buildAll(".")
	if err != nil || *build {
		return err
	}
	me, err := user.Current()
	if err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(m.dir, name) }
	if err := makeFile(in("file"), *size/2); err != nil {
		return err
	}
	if err := command(m.dir, nil, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", in("key")); err != nil {
		return err
	}
	servers, err := startServes(m, in("key.pub"), "-cipher", "chacha20-poly1305@openssh.com")
	if err != nil {
		return err
	}
	defer servers.stop()
	password, err := output(m.dir, rclone[0], "obscure", "a password")
	if err != nil {
		return err
	}
	config := fmt.Sprintf("[c]\ntype = crypt\nremote = %s\npassword = %s\n[s]\ntype = sftp\nhost = 127.0.0.1\nuser = %s\nkey_file = %s\n",
		in("sealed"), password, me.Username, in("key"))
	if err := os.WriteFile(in("config"), []byte(config), 0o600); err != nil {
		return err
	}
	for _, work := range []struct{ what, from, to string }{
		{"crypt, encrypt", in("file"), "c:file"},
		{"crypt, decrypt", "c:file", in("opened")},
		{"sftp to unimac ssh serve", in("file"), "s:" + in("put")},
		{"sftp from unimac ssh serve", "s:" + in("put"), in("got")},
	} {
		err := m.compare(megabytes(work.what, *size/2), func(b int) error {
			return command(m.dir, nil, rclone[b], "--config", in("config"), "--sftp-port", strconv.Itoa(servers.at(m).port), "--ignore-times", "copyto", work.from, work.to)
		})
		if err != nil {
			return err
		}
	}
	return command(m.dir, nil, "cmp", in("file"), in("opened"))
}
