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
		t.Fatalf("doc/ssh.md has only the commands %q", script)
	}
	home, bin := t.TempDir(), t.TempDir()
	// Use a script, because the program may have to run in an emulator.
	start := "#!/bin/sh\nexec '" + strings.Join(program(t).Args, "' '") + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "unimac"), []byte(start), 0o700); err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	writeFile(t, filepath.Join(work, "README.md"), string(page))
	// The port opens when the server is ready. Among shells, only bash can check this
	// itself.
	wait := fmt.Sprintf("wait_for_server() { for i in $(seq 2000); do (: </dev/tcp/127.0.0.1/%s) 2>/dev/null && return; sleep 0.05; done; }\n", port)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(bash, "-c", "set -e\n"+wait+strings.Join(script, "\n"))
	cmd.Dir = work
	cmd.Env = append(program(t).Env, "HOME="+home, "XDG_CONFIG_HOME=", "SSH_AUTH_SOCK=", "SHELL=/bin/sh", "PATH="+bin+":"+os.Getenv("PATH"))
	timer := time.AfterFunc(clitest.Patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "umac-128-etm@openssh.com, aes128-ctr") {
		t.Errorf("%v:\n%s\n%s", err, strings.Join(script, "\n"), out)
	}
	wantContent(t, filepath.Join(home, "copy.md"), string(page))
}
