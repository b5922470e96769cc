// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// Of what ssh_config(5) knows, the following count here, under the names that ssh -G prints.
var followed = []string{
	"host", "hostname", "port", "user", "identityfile", "identitiesonly", "identityagent", "hostkeyalias",
	"userknownhostsfile", "globalknownhostsfile", "stricthostkeychecking", "requiredrsasize",
	"ciphers", "macs", "kexalgorithms", "hostkeyalgorithms", "pubkeyacceptedalgorithms",
}

// notFollowed lead another way, restrict whom to trust or what to use, or have something else
// happen than the user sees here. They are errors.
var notFollowed = []string{
	"proxyjump", "proxycommand", "revokedhostkeys", "knownhostscommand", "canonicalizehostname", "checkhostip",
	"bindaddress", "bindinterface", "addressfamily", "pubkeyauthentication", "preferredauthentications",
	"certificatefile", "remotecommand", "sessiontype",
}

// meaningless are about what there is not here, or about how much is said. Others are warnings.
var meaningless = []string{
	"addkeystoagent", "batchmode", "canonicaldomains", "canonicalizefallbacklocal", "canonicalizemaxdots",
	"canonicalizepermittedcnames", "casignaturealgorithms", "channeltimeout", "clearallforwardings", "compression",
	"connectionattempts", "connecttimeout", "controlmaster", "controlpath", "controlpersist", "enableescapecommandline",
	"enablesshkeysign", "escapechar", "exitonforwardfailure", "fingerprinthash", "forkafterauthentication",
	"forwardagent", "forwardx11", "forwardx11timeout", "forwardx11trusted", "gatewayports", "gssapiauthentication",
	"gssapiclientidentity", "gssapidelegatecredentials", "gssapikexalgorithms", "gssapikeyexchange",
	"gssapirenewalforcesrekey", "gssapiserveridentity", "gssapitrustdns", "hashknownhosts", "hostbasedacceptedalgorithms",
	"hostbasedauthentication", "ignoreunknown", "ipqos", "kbdinteractiveauthentication", "loglevel", "logverbose",
	"nohostauthenticationforlocalhost", "numberofpasswordprompts", "obscurekeystroketiming", "passwordauthentication",
	"permitlocalcommand", "permitremoteopen", "proxyusefdpass", "rekeylimit", "requesttty", "sendenv",
	"serveralivecountmax", "serveraliveinterval", "stdinnull", "streamlocalbindmask", "streamlocalbindunlink",
	"syslogfacility", "tag", "tcpkeepalive", "tunnel", "tunneldevice", "updatehostkeys", "verifyhostkeydns",
	"visualhostkey", "warnweakcrypto", "xauthlocation",
}

// A clientConfig asks ssh what its files say. Its path is what -F names, or "".
type clientConfig struct {
	path  string
	warnf func(format string, args ...any)
}

// settings are what ssh -G prints: the values of each option.
type settings map[string][]string

func (s settings) one(name string) string { return strings.Join(s[name], " ") }

// list returns the words of an option, or nil if it is not set.
func (s settings) list(name string) (words []string) {
	for _, value := range s[name] {
		words = append(words, strings.Split(value, ",")...)
	}
	return words
}

// ask returns what ssh has for a target. It runs what Match exec says, as ssh does.
func (c *clientConfig) ask(ssh, path string, t target) (settings, error) {
	args := []string{"-T", "-G"}
	for _, option := range [][2]string{{"-F", path}, {"-l", t.login}, {"-p", t.port}} {
		if option[1] != "" {
			args = append(args, option[0], option[1])
		}
	}
	var stderr bytes.Buffer
	cmd := exec.Command(ssh, append(args, "--", t.host)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	message := strings.TrimSpace(stderr.String())
	if err != nil {
		return nil, fmt.Errorf("ssh does not take its configuration: %s (%w)", message, err)
	}
	if message != "" {
		c.warnf("%s", message)
	}
	s := make(settings)
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		name = strings.ToLower(name)
		s[name] = append(s[name], value)
	}
	if s.one("hostname") == "" || s.one("user") == "" || s.one("port") == "" {
		return nil, errors.New("ssh -G does not say where to connect to")
	}
	return s, nil
}

// resolve completes a target by what ssh's files say, or without them where there is no ssh.
func (c *clientConfig) resolve(t target) (*destination, error) {
	d := &destination{login: t.login, agent: os.Getenv("SSH_AUTH_SOCK"), minRSA: usualRSASize}
	d.user, d.system = []string{inHome(".ssh", "known_hosts"), inHome(".ssh", "known_hosts2")}, systemKnownHosts(runtime.GOOS)
	ssh, err := exec.LookPath("ssh")
	if c.path == "none" || err != nil {
		if c.path != "" && c.path != "none" {
			return nil, fmt.Errorf("%s: cannot be read without an ssh program: %w", cli.Name(c.path), err)
		}
		for _, file := range []string{inHome(".ssh", "config"), "/etc/ssh/ssh_config"} {
			if _, missing := os.Stat(file); c.path == "" && missing == nil {
				c.warnf("%s: not read, as there is no ssh program to ask what it means", cli.Name(file))
			}
		}
		d.address, err = net.JoinHostPort(t.host, cmp.Or(t.port, "22")), nil
		if d.login == "" {
			d.login, err = currentUser()
		}
		return d, err
	}
	set, err := c.ask(ssh, c.path, t)
	if err != nil {
		return nil, err
	}
	without, err := c.ask(ssh, "none", t)
	if err != nil {
		return nil, err
	}
	d.login, d.address = set.one("user"), net.JoinHostPort(set.one("hostname"), set.one("port"))
	for name, values := range set {
		if slices.Equal(values, without[name]) {
			delete(set, name) // nobody has set it
		}
	}
	if err := c.refuse(set); err != nil {
		return nil, err
	}
	return d, d.follow(set)
}

// refuse returns an error for an option that is set and not followed, and warns of one that is
// not known.
func (c *clientConfig) refuse(set settings) error {
	for name := range set {
		switch {
		case slices.Contains(followed, name), slices.Contains(meaningless, name):
		case name == "preferredauthentications" && strings.Contains(set.one(name), "publickey"):
		case !slices.Contains(notFollowed, name):
			c.warnf("the option %s of ssh's configuration has no effect here", cli.Visible(name))
		case !strings.EqualFold(set.one(name), "none"):
			return fmt.Errorf("the option %s of ssh's configuration is not followed here; with -F none no file is read", name)
		}
	}
	return nil
}

// follow takes what was set.
func (d *destination) follow(set settings) (err error) {
	if raw := set.one("user") + set.one("hostkeyalias"); strings.ContainsAny(raw, "%$") {
		return fmt.Errorf("%s: what %% and $ mean in User and HostKeyAlias depends on ssh's version", cli.Visible(raw))
	}
	if alias := set.one("hostkeyalias"); alias != "" {
		d.alias = net.JoinHostPort(alias, "22") // the port of which no line speaks
	}
	d.ciphers, d.macs, d.kex = set.list("ciphers"), set.list("macs"), set.list("kexalgorithms")
	d.hostKeys, d.publicKeys = set.list("hostkeyalgorithms"), set.list("pubkeyacceptedalgorithms")
	d.identitiesOnly = set.one("identitiesonly") == "yes"
	d.acceptNew = slices.Contains([]string{"accept-new", "false", "no", "off"}, set.one("stricthostkeychecking"))
	if size := set.one("requiredrsasize"); size != "" {
		if d.minRSA, err = strconv.Atoi(size); err != nil {
			return err
		}
	}
	if files := set["identityfile"]; files != nil {
		d.identities = []string{}
		for _, file := range files {
			if file, err = d.expand(file); err != nil {
				return err
			}
			if file != "none" && !slices.Contains(d.identities, file) {
				d.identities = append(d.identities, file)
			}
		}
	}
	switch agent := set.one("identityagent"); {
	case agent == "", agent == "SSH_AUTH_SOCK":
	case agent == "none":
		d.agent = ""
	case strings.HasPrefix(agent, "$") && !strings.HasPrefix(agent, "${"):
		d.agent = os.Getenv(agent[1:])
	default:
		if d.agent, err = d.expand(agent); err != nil {
			return err
		}
	}
	if d.user, err = knownFiles(set.one("userknownhostsfile"), d.user); err != nil {
		return err
	}
	d.system, err = knownFiles(set.one("globalknownhostsfile"), d.system)
	return err
}
