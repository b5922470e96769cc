// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// TestShell runs a shell without a terminal and with variables.
func TestShell(t *testing.T) {
	t.Parallel()
	session, err := startSite(t).dial(t).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Setenv("LC_UNIMAC", "a value"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	session.Stdout = &out
	stdin, err := session.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Shell(); err != nil {
		t.Fatal(err)
	}
	if ok, err := session.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{"echo twice"})); ok || err != nil {
		t.Errorf("second command: got %t, error %v, want a rejection", ok, err)
	}
	// Send this after the request, because the server does not answer requests after
	// the shell has ended.
	io.WriteString(stdin, "echo \"$0 $LC_UNIMAC\"\nexit 4\n")
	err = session.Wait()
	if exit, ok := err.(*ssh.ExitError); !ok || exit.ExitStatus() != 4 || out.String() != "-sh a value\n" {
		t.Errorf("got %v, output %q, want status 4, %q", err, &out, "-sh a value\n")
	}
}

// pipes returns the input and the output of a session that has not started.
func pipes(t *testing.T, session *ssh.Session) (stdin io.WriteCloser, stdout io.Reader) {
	t.Helper()
	stdin, err := session.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err = session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return stdin, stdout
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	session, err := startSite(t).dial(t).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.RequestPty("vt100", 33, 77, nil); err != nil {
		t.Fatal(err)
	}
	stdin, stdout := pipes(t, session)
	if err := session.Shell(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	expect := func(want string) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("waiting for %q: %v", want, err)
			}
			t.Logf("the terminal shows %q", line)
			if strings.HasSuffix(strings.TrimSpace(line), want) { // may follow a prompt
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
	// WindowChange has no reply, so wait for the reply to another request.
	session.SendRequest("nothing", true, nil)
	io.WriteString(stdin, "stty size\n")
	expect("44 88")
	// For ^C, the terminal sends a signal, which ends cat but not the shell.
	io.WriteString(stdin, "cat\nmeow\n")
	expect("meow") // echo of the terminal
	expect("meow") // output of cat
	io.WriteString(stdin, "\x03")
	io.WriteString(stdin, "\necho still $((40+2))\n")
	expect("still 42")
	// A background process must not keep the session open.
	pidFile := filepath.Join(t.TempDir(), "pid")
	io.WriteString(stdin, "sleep 1000 & echo $! >'"+pidFile+"'; echo last words; exit 6\n")
	expect("last words")
	err = session.Wait()
	data, _ := os.ReadFile(pidFile)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Errorf("the background process with ID %q has ended: %v", data, err)
	}
	if exit, ok := err.(*ssh.ExitError); !ok || exit.ExitStatus() != 6 {
		t.Errorf("got %v, want status 6", err)
	}
}

// TestTerminalModes checks the modes of the requested terminal and SSH_TTY.
func TestTerminalModes(t *testing.T) {
	t.Parallel()
	session, err := startSite(t).dial(t).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	modes := ssh.TerminalModes{ssh.ECHO: 0, ssh.ISIG: 0, ssh.ICRNL: 1, ssh.IXON: 0, ssh.ONLCR: 0, ssh.VINTR: 5, ssh.VKILL: 255, ssh.TTY_OP_OSPEED: 38400}
	if err := session.RequestPty("vt100", 24, 80, modes); err != nil {
		t.Fatal(err)
	}
	out, err := session.Output("stty -a; test \"$SSH_TTY\" = \"$(tty)\" && echo its name")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-echo ", "-isig", " icrnl", "-ixon", "-onlcr", "intr = ^E;", "kill = <undef>;", " icanon", "\nits name\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output lacks %q: %q", want, out)
		}
	}
	for _, modes := range []string{"", "\x00", "\x35", "\x35\x00\x00", "\xa0\x00\x00\x00\x00", "\x1d\xff\xff\xff\xff\x00"} {
		tty, err := startInTerminal(exec.Command("true"), &terminal{modes: modes})
		if err != nil {
			t.Errorf("modes %q: %v", modes, err)
			continue
		}
		tty.Close()
	}
}

// TestReadOnlyCommands requests commands and shells from a read-only server, with and
// without a terminal.
func TestReadOnlyCommands(t *testing.T) {
	t.Parallel()
	s := startSiteWith(t, serveOptions{readOnly: true})
	client := s.dial(t)
	for _, terminal := range []bool{false, true} {
		for _, request := range []string{"exec", "shell"} {
			session, err := client.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if terminal {
				session.RequestPty("vt100", 24, 80, nil) // may be rejected as well
			}
			if ok, err := session.SendRequest(request, true, ssh.Marshal(&struct{ Command string }{"true"})); ok || err != nil {
				t.Errorf("%s, terminal = %t: got %t, error %v, want a rejection", request, terminal, ok, err)
			}
		}
	}
	client.Close()
	if !s.prints(" ended after ") {
		t.Error("the connection did not end")
	}
	if got := s.stderr.String(); !strings.Contains(got, ": exec: with -read-only, the server runs no commands\n") {
		t.Errorf("server: got stderr %q, want the reason", got)
	}
}

// TestRefusedOnce repeats rejected requests. Each session must report each type only
// once.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	client := s.dial(t)
	for range 2 {
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			if session.Setenv("LANG", "\x00"+strconv.Itoa(i)) == nil {
				t.Error("setting a variable with a zero byte: got no error")
			}
		}
		if err := session.Run("exit 0"); err != nil {
			t.Error(err)
		}
	}
	client.Close()
	if !s.prints(" ended after ") {
		t.Error("the connection did not end")
	}
	if got := s.stderr.String(); strings.Count(got, ": env: variable \"LANG\" cannot be set\n") != 2 || strings.Count(got, "\n") != 2 {
		t.Errorf("server: got stderr %q, want one line per session", got)
	}
}

// A recordingChannel records the requests sent on it.
type recordingChannel struct {
	ssh.Channel
	sent []string
}

func (*recordingChannel) Read([]byte) (int, error)    { return 0, io.EOF }
func (*recordingChannel) Write(p []byte) (int, error) { return len(p), nil }
func (c *recordingChannel) Stderr() io.ReadWriter     { return c }
func (c *recordingChannel) CloseWrite() error         { c.sent = append(c.sent, "EOF"); return nil }
func (c *recordingChannel) Close() error              { c.sent = append(c.sent, "CLOSE"); return nil }
func (c *recordingChannel) SendRequest(name string, _ bool, _ []byte) (bool, error) {
	c.sent = append(c.sent, name)
	return false, nil
}

// TestStatusBeforeEOF checks that the exit status comes before the end of the output,
// because clients such as dropbear's and PuTTY's then close the channel.
func TestStatusBeforeEOF(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		command, want string
		terminal      *terminal
	}{
		{"echo out; exit 3", "exit-status EOF CLOSE", nil}, {"exit 3", "exit-status EOF CLOSE", &terminal{}}, {"kill -TERM $$", "exit-signal EOF CLOSE", nil},
	} {
		channel := new(recordingChannel)
		s := &session{login: &login{server: &server{}, grant: &grant{}}, channel: channel, env: newEnvironment(&net.TCPAddr{}, &net.TCPAddr{}), term: tt.terminal}
		if err := s.start(commandInShell(tt.command)); err != nil {
			t.Fatal(err)
		}
		s.finish()
		if got := strings.Join(channel.sent, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.command, got, tt.want)
		}
	}
}

// TestTerminalOutput checks that no output is lost if the client reads slowly. Output
// that does not fit in the client's window of 2 MiB is still in the terminal long after
// the command has ended.
func TestTerminalOutput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("each case takes half a second")
	}
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
				t.Errorf("got %d bytes, error %v, want %d", len(out), err, n)
			}
			if err := session.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTerminalFlooded leaves background processes that print without end, continuously or
// occasionally. The session must end nevertheless.
func TestTerminalFlooded(t *testing.T) {
	t.Parallel()
	client := startSite(t).dial(t)
	for _, command := range []string{"exec yes", "while echo y; do sleep 0.05; done"} {
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if err := session.RequestPty("vt100", 24, 80, nil); err != nil {
			t.Fatal(err)
		}
		session.Stdout = writerFunc(func(p []byte) (int, error) { // slower than the flood
			time.Sleep(5 * time.Millisecond)
			return len(p), nil
		})
		if err := session.Start("trap '' HUP; (" + command + ") & exit 3"); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { ended <- session.Wait() }()
		select {
		case err := <-ended:
			if exit, ok := err.(*ssh.ExitError); !ok || exit.ExitStatus() != 3 {
				t.Errorf("%s: got %v, want status 3", command, err)
			}
		case <-time.After(soon / 3):
			t.Fatalf("%s: the session did not end", command)
		}
	}
}

// windowProgram prints the size of its terminal in characters and in pixels.
const windowProgram = `python3 -c 'import fcntl, struct, termios
print(*struct.unpack("4H", fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))))'`

// TestWindowSize requests a terminal and changes its size, before and after the command starts.
func TestWindowSize(t *testing.T) {
	t.Parallel()
	find(t, "python3")
	client := startSite(t).dial(t)
	pty := ssh.Marshal(&struct {
		Term                      string
		Cols, Rows, Width, Height uint32
		Modes                     string
	}{"vt100", 80, 24, 640, 480, ""})
	change := ssh.Marshal(&struct{ Cols, Rows, Width, Height uint32 }{100, 50, 1 << 20, 1000})
	for _, tt := range []struct {
		before, after bool
		want          string
	}{{false, false, "24 80 640 480"}, {true, false, "50 100 65535 1000"}, {false, true, "50 100 65535 1000"}} {
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := session.SendRequest("window-change", true, change); ok || err != nil {
			t.Errorf("window-change without a terminal: got %t, error %v, want a rejection", ok, err)
		}
		if ok, err := session.SendRequest("pty-req", true, pty); !ok || err != nil {
			t.Fatalf("pty-req: got %t, error %v", ok, err)
		}
		resize := func() {
			if ok, err := session.SendRequest("window-change", true, change); !ok || err != nil {
				t.Errorf("window-change: got %t, error %v, want success", ok, err)
			}
		}
		if tt.before {
			resize()
		}
		stdin, stdout := pipes(t, session)
		if err := session.Start("stty -echo; echo; read line; " + windowProgram); err != nil {
			t.Fatal(err)
		}
		io.ReadFull(stdout, make([]byte, 2))
		if tt.after {
			resize()
		}
		io.WriteString(stdin, "\n")
		if out, _ := io.ReadAll(stdout); strings.TrimSpace(string(out)) != tt.want {
			t.Errorf("changed before the start: %t, after it: %t: got %q, want %q", tt.before, tt.after, out, tt.want)
		}
	}
}

// TestSignalRequest sends signals to commands, in a terminal or not.
func TestSignalRequest(t *testing.T) {
	t.Parallel()
	client := startSite(t).dial(t)
	for _, terminal := range []bool{false, true} {
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		send := func(name string) bool {
			ok, err := session.SendRequest("signal", true, ssh.Marshal(&struct{ Name string }{name}))
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if send("TERM") {
			t.Error("signal before a command: got success, want a rejection")
		}
		if terminal {
			if err := session.RequestPty("vt100", 24, 80, nil); err != nil {
				t.Fatal(err)
			}
		}
		_, stdout := pipes(t, session) // the open input keeps the session open
		// The signal must also reach the command's child.
		if err := session.Start("trap 'echo got it' USR1; sh -c 'echo ready; exec sleep 1000' & { wait; wait $!; } 2>&-; echo child ended; while :; do read line; done"); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(stdout)
		expect := func(want string) {
			t.Helper()
			if line, err := lines.ReadString('\n'); strings.TrimSpace(line) != want {
				t.Errorf("got line %q, error %v, want %q", line, err, want)
			}
		}
		expect("ready")
		for _, name := range []string{"", "NONE", "SIGTERM", "WINCH", "TERM\x00"} {
			if send(name) {
				t.Errorf("signal %q: got success, want a rejection", name)
			}
		}
		if !send("USR1") {
			t.Error("signal USR1: got a rejection")
		}
		expect("got it")
		expect("child ended")
		if !send("KILL") {
			t.Error("signal KILL: got a rejection")
		}
		go io.Copy(io.Discard, lines)
		if exit, ok := session.Wait().(*ssh.ExitError); !ok || exit.Signal() != "KILL" {
			t.Errorf("got %v, want an end by SIGKILL", exit)
		}
	}
}

// TestDisconnect checks that commands end with their connection, even if nohup started
// the server.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	t.Run("attached", func(t *testing.T) { testDisconnect(t, startServer(t, nil)) })
	t.Run("nohup", func(t *testing.T) { testDisconnect(t, startServerFrom(t, `trap '' HUP; exec "$@"`, nil)) })
}

// startPrintingPID starts a command, in a terminal or not, and returns the process ID
// that the command prints first.
func startPrintingPID(t *testing.T, client *ssh.Client, terminal bool, command string) int {
	t.Helper()
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
	if err := session.Start(command); err != nil {
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
	return pid
}

func testDisconnect(t *testing.T, s *serverProcess) {
	for _, terminal := range []bool{false, true} {
		client := s.dial(t)
		pid := startPrintingPID(t, client, terminal, "sleep 1000 & echo $!; wait")
		client.Close()
		if !eventually(func() bool { return !alive(pid) }) {
			t.Errorf("terminal = %t: the command continues after the disconnection", terminal)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// alive reports whether a process is running. A zombie is not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
