// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/sshpatch"
)

// randomBytes returns data that is the same in every run.
func randomBytes(n int) string {
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(data)
	return string(data)
}

func TestExecStreams(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	s := startSite(t)
	data := randomBytes(5 << 20)
	for _, tt := range []struct {
		name, stdin, command string
		status               int
		stdout, stderr       string
	}{
		{"streams", "", "echo out; echo err >&2; exit 3", 3, "out\n", "err\n"},
		{"there and back", data, "cat", 0, data, ""},
		{"there and back on stderr", data, "cat >&2", 0, "", data},
		{"no stdin", "", "cat", 0, "", ""},
		{"stdin unread", data, "true", 0, "", ""},
		{"half of it", data, "head -c 1000000; exit 9", 9, data[:1000000], ""},
		{"signal", "", "kill -TERM $$", 128 + 15, "", ""},
		{"another signal", "", "kill -KILL $$", 128 + 9, "", ""},
		{"signal without a name", "", "kill -XCPU $$", 128 + int(syscall.SIGXCPU), "", ""},
		{"largest status", "", "exit 255", 255, "", ""},
		{"no such command", "", "/no/such/command 2>/dev/null", 127, "", ""},
		{"home", "", "pwd", 0, filepath.Dir(s.identity) + "\n", ""},
		{"quotes", "", `printf '%s|' 'a b' "c	d" '*'`, 0, "a b|c\td|*|", ""},
		{"connection", "", `set -- $SSH_CONNECTION; echo $# $1 $3:$4`, 0, "4 127.0.0.1 " + s.address + "\n", ""},
		{"no terminal", "", "test -t 0 || test -t 1 || test -t 2 || echo none", 0, "none\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.exec(tt.stdin, s.address, tt.command)
			if r.Status != tt.status || r.Stdout != tt.stdout || r.Stderr != tt.stderr {
				t.Errorf("status %d, %d bytes out, %d bytes err; want %d, %d, %d", r.Status, len(r.Stdout), len(r.Stderr), tt.status, len(tt.stdout), len(tt.stderr))
			}
		})
	}
}

func TestExecStdinFails(t *testing.T) {
	s := startSite(t)
	r := runReader(&clitest.BrokenReader{Data: "data"}, "ssh", "exec", "-i", s.identity, "-known-hosts", s.known, s.address, "cat")
	r.Want(t, 255, r.Stdout, "unimac ssh exec: standard input: broken\n")
}

// TestExecDefaults uses the files that exec finds for itself, and an agent.
func TestExecDefaults(t *testing.T) {
	s := startSite(t)
	dot := filepath.Join(filepath.Dir(s.identity), ".ssh")
	if err := os.Mkdir(dot, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func() result { return runWith("", "ssh", "exec", s.address, "echo in") }
	if r := run(); r.Status != 255 {
		t.Errorf("without any file: status %d", r.Status)
	}
	if err := os.Rename(s.known, filepath.Join(dot, "known_hosts")); err != nil {
		t.Fatal(err)
	}
	run().Want(t, 255, "", "unimac ssh exec: no key to log in with: name one with -i, or start an agent\n")
	if err := os.Rename(s.identity, filepath.Join(dot, "id_ed25519")); err != nil {
		t.Fatal(err)
	}
	run().Want(t, 0, "in\n", "")
	if err := os.Chmod(filepath.Join(dot, "id_ed25519"), 0o644); err != nil {
		t.Fatal(err)
	}
	run().Want(t, 255, "", "; id_ed25519: mode 0644 lets others use the key; chmod 600 keeps it private")

	ring := agent.NewKeyring()
	writeKey(t, filepath.Join(dot, "unknown"))
	for _, name := range []string{"unknown", "id_ed25519"} {
		data, err := os.ReadFile(filepath.Join(dot, name))
		if err != nil {
			t.Fatal(err)
		}
		key, err := ssh.ParseRawPrivateKey(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
			t.Fatal(err)
		}
	}
	socket := filepath.Join(dot, "agent")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go agent.ServeAgent(ring, conn)
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket)
	run().Want(t, 0, "in\n", "")
}

// TestShell runs a shell without a terminal, with variables.
func TestShell(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	session, err := startSite(t).dial(t).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Setenv("LC_UNIMAC", "a value"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	session.Stdout = &out
	session.Stdin = strings.NewReader("echo \"$0 $LC_UNIMAC\"\nexit 4\n")
	if err := session.Shell(); err != nil {
		t.Fatal(err)
	}
	if ok, err := session.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{"echo twice"})); ok || err != nil {
		t.Errorf("a second command: %v, %v", ok, err)
	}
	err = session.Wait()
	if exit, ok := err.(*ssh.ExitError); !ok || exit.ExitStatus() != 4 || out.String() != "-sh a value\n" {
		t.Errorf("%v, %q", err, &out)
	}
}

func TestTerminal(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	session, err := startSite(t).dial(t).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.RequestPty("vt100", 33, 77, nil); err != nil {
		t.Fatal(err)
	}
	stdin, err := session.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Shell(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	expect := func(want string) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("no %q: %v", want, err)
			}
			t.Logf("the terminal shows %q", line)
			if strings.HasSuffix(strings.TrimSpace(line), want) { // after a prompt
				return
			}
		}
	}
	io.WriteString(stdin, "stty size; echo $TERM\n")
	expect("33 77")
	expect("vt100")
	if err := session.WindowChange(44, 88); err != nil {
		t.Fatal(err)
	}
	// The request has no reply; one that has comes after it.
	session.SendRequest("nothing", true, nil)
	io.WriteString(stdin, "stty size\n")
	expect("44 88")
	// The terminal sends a signal for ^C, which ends cat and not the shell.
	io.WriteString(stdin, "cat\n")
	time.Sleep(100 * time.Millisecond)
	io.WriteString(stdin, "\x03")
	io.WriteString(stdin, "\necho still $((40+2))\n")
	expect("still 42")
	// What stays in the background must not keep the session.
	io.WriteString(stdin, "sleep 60 & echo last words; exit 6\n")
	expect("last words")
	err = session.Wait()
	if exit, ok := err.(*ssh.ExitError); !ok || exit.ExitStatus() != 6 {
		t.Errorf("%v", err)
	}
}

// TestTerminalOutput checks that the end of much output is not lost where the
// client reads slowly: what does not fit into its window of 2 MiB is still in
// the terminal when the command has ended for long.
func TestTerminalOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for half a second and more")
	}
	t.Setenv("SHELL", "/bin/sh")
	client := startSite(t).dial(t)
	for over := 3000; over < 10_000; over += 3000 {
		t.Run(strconv.Itoa(over), func(t *testing.T) {
			session, err := client.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			if err := session.RequestPty("vt100", 24, 80, nil); err != nil {
				t.Fatal(err)
			}
			stdout, err := session.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			n := 2<<20 + over
			if err := session.Start(fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", n)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2*drainTime + 100*time.Millisecond)
			out, err := io.ReadAll(stdout)
			if err != nil || strings.Count(string(out), "x") != n {
				t.Errorf("%d of %d bytes, %v", len(out), n, err)
			}
			if err := session.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSignal(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	session, err := startSite(t).dial(t).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Signal(ssh.SIGTERM); err != nil {
		t.Fatal(err)
	}
	stdout, err := session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Start("trap 'echo got it; exit 5' USR1; echo ready; while :; do sleep 0.01; done"); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(stdout)
	if line, err := r.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	for _, sig := range []ssh.Signal{"NONE", ssh.SIGUSR1} {
		if err := session.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	if line, err := r.ReadString('\n'); line != "got it\n" && !strings.Contains(line, "signal") {
		t.Error(line, err)
	}
	session.Wait()
}

// TestDisconnect checks that commands end with their connection, also those of a
// server that nohup keeps from ending with its own terminal.
func TestDisconnect(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	t.Run("attached", testDisconnect)
	t.Run("nohup", func(t *testing.T) {
		signal.Ignore(syscall.SIGHUP)
		t.Cleanup(func() { signal.Reset(syscall.SIGHUP) })
		testDisconnect(t)
	})
}

func testDisconnect(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		client := startSite(t).dial(t)
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if terminal {
			if err := session.RequestPty("vt100", 24, 80, nil); err != nil {
				t.Fatal(err)
			}
		}
		stdout, err := session.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Start("sleep 60 & echo $!; wait"); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		client.Close()
		if !eventually(func() bool { return !alive(pid) }) {
			t.Errorf("terminal %v: the command goes on", terminal)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// alive reports whether a process runs: a zombie does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// TestServeProcess runs the server as a user does, and interrupts it.
func TestServeProcess(t *testing.T) {
	dir := t.TempDir()
	writeKey(t, filepath.Join(dir, "id"))
	hostPath := filepath.Join(dir, "config", "host_key")
	server := program(t, "ssh", "serve", "-listen", "127.0.0.1:0", "-mac", sshpatch.UMAC64ETM,
		"-authorized-keys", filepath.Join(dir, "id.pub"), "-host-key", hostPath)
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := new(lockedBuffer)
	server.Stderr = stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Process.Kill()
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var address, fingerprint string
	if _, err := fmt.Sscanf(line, "listening on %s with host key %s\n", &address, &fingerprint); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	host, err := readSigner(hostPath)
	if err != nil || ssh.FingerprintSHA256(host.PublicKey()) != fingerprint {
		t.Fatalf("the host key: %v", err)
	}
	if info, err := os.Stat(hostPath); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	known := writeFile(t, filepath.Join(dir, "known_hosts"), knownhosts.Line([]string{address}, host.PublicKey())+"\n")
	args := []string{"ssh", "exec", "-i", filepath.Join(dir, "id"), "-known-hosts", known, "-v"}
	runWith("", append(args, "-mac", sshpatch.UMAC64ETM, address, "echo in")...).Want(t, 0, "in\n", fmt.Sprintf("unimac ssh exec: %s: umac-64-etm@openssh.com, aes128-ctr\n", address))
	runWith("", append(args, address, "echo in")...).Want(t, 255, "", "no common algorithm")
	if !eventually(func() bool { return strings.Contains(stderr.String(), "no common algorithm") }) {
		t.Error("the server does not complain")
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), sshpatch.UMAC64ETM) {
		t.Errorf("%q, %v", rest, err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
	if got := stderr.String(); !strings.HasPrefix(got, "unimac ssh serve: 20") || strings.Count(got, "\n") != 1 || !strings.Contains(got, "no common algorithm") {
		t.Errorf("the server complained: %s", got)
	}
}

// find returns the path of a program of OpenSSH. Without it, the test is
// skipped; in CI it fails.
func find(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + name)
	}
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("no %s, which CI has to have", name)
	}
	t.Skipf("no %s", name)
	return ""
}

// TestOpenSSHClient has ssh(1) log in to our server.
func TestOpenSSHClient(t *testing.T) {
	client := find(t, "ssh")
	t.Setenv("SHELL", "/bin/sh")
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
				t.Errorf("status %d, %d bytes, %s", cmd.ProcessState.ExitCode(), stdout.Len(), &stderr)
			}
			if !strings.Contains(s.stdout.String(), ": "+mac+", aes128-ctr, key ssh-ed25519 SHA256:") {
				t.Errorf("the server printed %s", s.stdout)
			}
		})
	}
	t.Run("shell", func(t *testing.T) {
		cmd := command(sshpatch.UMAC128ETM)
		cmd.Stdin = strings.NewReader("echo $((6*7)); exit 12\n")
		out, _ := cmd.Output()
		if string(out) != "42\n" || cmd.ProcessState.ExitCode() != 12 {
			t.Errorf("status %d, %q", cmd.ProcessState.ExitCode(), out)
		}
	})
	t.Run("terminal", func(t *testing.T) {
		cmd := command(sshpatch.UMAC128ETM, "tty; test -t 0 && test -t 1 && exit 13")
		cmd.Args = append([]string{cmd.Args[0], "-tt"}, cmd.Args[1:]...)
		out, _ := cmd.Output()
		if !strings.HasPrefix(string(out), "/dev/") || cmd.ProcessState.ExitCode() != 13 {
			t.Errorf("status %d, %q", cmd.ProcessState.ExitCode(), out)
		}
	})
}

// startDaemon starts sshd(8), which has a key of a kind that x/crypto would not ask
// for first. Only its RSA key is known.
func startDaemon(t *testing.T) *site {
	t.Helper()
	daemon, keygen := find(t, "sshd"), find(t, "ssh-keygen")
	dir := t.TempDir()
	t.Setenv("SSH_AUTH_SOCK", "")
	t.Setenv("HOME", dir)
	s := &site{identity: filepath.Join(dir, "id"), known: filepath.Join(dir, "known_hosts")}
	s.user = writeKey(t, s.identity)
	for _, kind := range []string{"ed25519", "rsa"} {
		if out, err := exec.Command(keygen, "-q", "-b", "2048", "-t", kind, "-N", "", "-f", filepath.Join(dir, "host_"+kind)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	if os.Getuid() == 0 {
		// sshd insists on this folder where it can change its user.
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
		t.Fatal("sshd does not listen")
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

// TestOpenSSHServer logs in to sshd(8).
func TestOpenSSHServer(t *testing.T) {
	if testing.Short() {
		t.Skip("a full run makes keys of RSA")
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
			t.Errorf("%s: status %d, %d bytes, %s", mac, r.Status, len(r.Stdout), r.Stderr)
		}
	}
}
