// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
)

// TestManualSSH runs the commands of doc/ssh.md in an empty home, on another port.
func TestManualSSH(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "doc", "ssh.md"))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()

	var script []string
	for _, m := range regexp.MustCompile(`(?m)^\t\$ (.*)$`).FindAllStringSubmatch(string(page), -1) {
		line := strings.ReplaceAll(m[1], "2222", port)
		if serve, found := strings.CutSuffix(line, " &"); found {
			line = fmt.Sprintf("%s -listen 127.0.0.1:%s & trap 'kill %%1' EXIT; wait_for_server", serve, port)
		}
		// OpenSSH determines the home from the user database, so it would read another
		// configuration.
		line = strings.Replace(line, "scp ", "scp -F none ", 1)
		script = append(script, line)
	}
	if len(script) < 4 {
		t.Fatalf("doc/ssh.md has the commands %q, want at least 4", script)
	}
	work := t.TempDir()
	writeFile(t, filepath.Join(work, "README.md"), string(page))
	// The port opens when the server is ready. Among shells, only bash can check this
	// itself.
	wait := fmt.Sprintf("wait_for_server() { for i in $(seq 2000); do (: </dev/tcp/127.0.0.1/%s) 2>/dev/null && return; sleep 0.05; done; }\n", port)
	home, out := runScript(t, work, "set -e\n"+wait+strings.Join(script, "\n"))
	if !strings.Contains(out, "umac-128-etm@openssh.com, aes128-ctr") {
		t.Errorf("the output lacks the algorithms:\n%s", out)
	}
	wantContent(t, filepath.Join(home, "copy.md"), string(page))
}

// runScript runs a script in bash in the folder dir, with an empty home and with unimac in
// the path. It returns the home and the output.
func runScript(t *testing.T, dir, script string) (home, out string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	home, bin := t.TempDir(), t.TempDir()
	// Use a script, because the program may have to run in an emulator.
	start := "#!/bin/sh\nexec '" + strings.Join(program(t).Args, "' '") + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "unimac"), []byte(start), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, "-c", script)
	cmd.Dir = dir
	cmd.Env = append(program(t).Env, "HOME="+home, "XDG_CONFIG_HOME=", "SSH_AUTH_SOCK=", "SHELL=/bin/sh", "PATH="+bin+":"+os.Getenv("PATH"))
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s\n%s", err, script, output)
	}
	return home, string(output)
}

// TestManualFiles runs the session of doc/command.md, from top to bottom in an empty
// folder, and compares the output of each line with the page.
func TestManualFiles(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "doc", "command.md"))
	if err != nil {
		t.Fatal(err)
	}
	session, _, found := strings.Cut(string(page), "\n## A copy of x/crypto in CI\n")
	if !found {
		t.Fatal("doc/command.md does not have the section that follows the session")
	}
	const prompt = "$ "
	var want, script strings.Builder
	script.WriteString("set -e\n")
	for _, m := range regexp.MustCompile(`(?m)^\t(.*)$`).FindAllStringSubmatch(session, -1) {
		want.WriteString(m[1] + "\n")
		line, isCommand := strings.CutPrefix(m[1], prompt)
		if !isCommand {
			continue
		}
		fmt.Fprintf(&script, "cat <<'END'\n%s\nEND\n", m[1])
		switch {
		case strings.Contains(line, " -damaged "):
			line += " || test $? = 3"
		case strings.HasPrefix(line, "unimac keygen -passphrase-file "):
			// Use less memory, because the program may run in an emulator.
			line = strings.Replace(line, "keygen ", "keygen -kdf-memory 64 ", 1)
		}
		script.WriteString(line + "\n")
	}
	_, got := runScript(t, t.TempDir(), script.String())
	// Nonces, tags and the identifiers of keys differ in each run.
	random := regexp.MustCompile(`=[0-9a-f]{8,}`)
	mask := func(s string) string { return random.ReplaceAllString(s, "=HEX") }
	if mask(got) != mask(want.String()) {
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}
