// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/sshpatch"
)

// TestOpenSSHClient logs in to the server with ssh(1).
func TestOpenSSHClient(t *testing.T) {
	t.Parallel()
	client := find(t, "ssh")
	s := startSite(t)
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	data := randomBytes(5 << 20)
	command := func(mac string, args ...string) *exec.Cmd {
		return exec.Command(client, append([]string{
			"-F", "none", "-i", s.identity, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
			"-o", "UserKnownHostsFile=" + s.known, "-o", "StrictHostKeyChecking=yes",
			"-p", port, "-c", "aes128-ctr", "-m", mac, host}, args...)...)
	}
	for i, mac := range sshpatch.Algorithms() {
		if testing.Short() && i > 0 {
			break
		}
		t.Run(mac, func(t *testing.T) {
			cmd := command(mac, "cat; exit 11")
			var stdout, stderr bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(data), &stdout, &stderr
			cmd.Run()
			if cmd.ProcessState.ExitCode() != 11 || stdout.String() != data || stderr.String() != "" {
				t.Errorf("got status %d, %d bytes, stderr %q, want 11, %d bytes and no message", cmd.ProcessState.ExitCode(), stdout.Len(), &stderr, len(data))
			}
			if !s.prints(": " + mac + ", aes128-ctr, key ssh-ed25519 SHA256:") {
				t.Errorf("server: got stdout %q, want the MAC and the key", s.stdout)
			}
		})
	}
	t.Run("shell", func(t *testing.T) {
		cmd := command(sshpatch.UMAC128ETM)
		cmd.Stdin = strings.NewReader("echo $((6*7)); exit 12\n")
		out, _ := cmd.Output()
		if string(out) != "42\n" || cmd.ProcessState.ExitCode() != 12 {
			t.Errorf("got status %d, output %q, want 12, %q", cmd.ProcessState.ExitCode(), out, "42\n")
		}
	})
	t.Run("terminal", func(t *testing.T) {
		cmd := command(sshpatch.UMAC128ETM, "tty; test -t 0 && test -t 1 && exit 13")
		cmd.Args = append([]string{cmd.Args[0], "-tt"}, cmd.Args[1:]...)
		out, _ := cmd.Output()
		if !strings.HasPrefix(string(out), "/dev/") || cmd.ProcessState.ExitCode() != 13 {
			t.Errorf("got status %d, output %q, want 13 and the path of a terminal", cmd.ProcessState.ExitCode(), out)
		}
	})
}

// startDaemon starts sshd(8) with two host keys. Only the RSA key, which x/crypto would
// not request first, is known.
func startDaemon(t *testing.T) *site {
	t.Helper()
	daemon, keygen := find(t, "sshd"), find(t, "ssh-keygen")
	dir := t.TempDir()
	s := &site{identity: filepath.Join(dir, "id"), known: filepath.Join(dir, "known_hosts")}
	s.user = writeKey(t, s.identity)
	for _, kind := range []string{"ed25519", "rsa"} {
		if out, err := exec.Command(keygen, "-q", "-b", "2048", "-t", kind, "-N", "", "-f", filepath.Join(dir, "host_"+kind)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	if os.Getuid() == 0 {
		// If sshd can change its user, it requires this folder.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.address = "127.0.0.1:" + freePort(t)
	config := writeFile(t, filepath.Join(dir, "sshd_config"), fmt.Sprintf(`
ListenAddress %[2]s
HostKey %[1]s/host_ed25519
HostKey %[1]s/host_rsa
AuthorizedKeysFile %[1]s/id.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
LogLevel VERBOSE
Subsystem sftp internal-sftp
MACs %[3]s
Ciphers aes128-ctr
`, dir, s.address, strings.Join(sshpatch.Algorithms(), ",")))
	server := exec.Command(daemon, "-D", "-e", "-f", config)
	log := new(lockedBuffer)
	server.Stderr = log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", log)
		}
	})
	if !eventually(func() bool {
		conn, err := net.Dial("tcp", s.address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}) {
		t.Fatal("sshd does not accept connections")
	}
	data, err := os.ReadFile(filepath.Join(dir, "host_rsa.pub"))
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, _, _, _, err := ssh.ParseAuthorizedKey(data)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.known, knownhosts.Line([]string{s.address}, rsaKey)+"\n")
	return s
}

// TestOpenSSHServer logs in to sshd(8) with exec.
func TestOpenSSHServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("generating RSA keys takes seconds")
	}
	s := startDaemon(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	content := randomBytes(5 << 20)
	for _, mac := range sshpatch.Algorithms() {
		r := runWith(content, "ssh", "exec", "-v", "-i", s.identity, "-known-hosts", s.known, "-mac", mac,
			me.Username+"@"+s.address, "cat; exit 21")
		if r.Status != 21 || r.Stdout != content || !strings.Contains(r.Stderr, ": "+mac+", aes128-ctr\n") {
			t.Errorf("%s: got status %d, %d bytes, stderr %q, want 21, %d bytes and this MAC", mac, r.Status, len(r.Stdout), r.Stderr, len(content))
		}
	}
}

// TestOtherClients runs a failing command with the clients of dropbear and PuTTY, if
// they are installed. .ci/interoperability tests more of them.
func TestOtherClients(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	host, port, _ := net.SplitHostPort(s.address)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key")
	for _, tt := range []struct{ client, convert string }{
		{"dbclient -y -y -i KEY -p PORT ME@HOST", "dropbearconvert openssh dropbear ID KEY"},
		{"plink -batch -ssh -i KEY -hostkey FINGERPRINT -P PORT ME@HOST", "puttygen ID -o KEY"},
	} {
		command := func(line string) *exec.Cmd {
			line = strings.NewReplacer("KEY", key, "ID", s.identity, "PORT", port, "HOST", host, "ME", me.Username,
				"FINGERPRINT", ssh.FingerprintSHA256(s.host.PublicKey())).Replace(line)
			args := strings.Fields(line)
			return exec.Command(args[0], args[1:]...)
		}
		if _, err := exec.LookPath(strings.Fields(tt.client)[0]); err != nil {
			t.Logf("%v", err)
			continue
		}
		runs(t, command(tt.convert), true)
		for range 8 {
			cmd := command(tt.client)
			cmd.Args = append(cmd.Args, "echo out; exit 3")
			if out, _ := cmd.Output(); string(out) != "out\n" || cmd.ProcessState.ExitCode() != 3 {
				t.Errorf("%s: got status %d, output %q, want 3, %q", cmd.Args[0], cmd.ProcessState.ExitCode(), out, "out\n")
			}
		}
	}
}
