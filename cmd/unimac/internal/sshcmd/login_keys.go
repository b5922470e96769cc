// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// loginKeys are the keys that a client logs in with.
type loginKeys struct {
	*destination
	identity string        // the file that a flag names, instead of all others
	patience time.Duration // with an agent that is asked which keys it has
	end      time.Time     // of its patience when it signs

	tried  []string // what signers returned, by the names of files
	unused []string // files, and why signers did not return their keys

	asked   bool // the agent, with what it answered
	inAgent []ssh.Signer
	noAgent error
	conn    net.Conn
}

// errNoKey is the error where there is no key to try.
var errNoKey = errors.New("no key to log in with: name one with -i, or start an agent")

// signers returns the keys to try, those that the user names first. They work until close
// is called.
func (k *loginKeys) signers() (signers []ssh.Signer, err error) {
	if k.identity != "" {
		signer, err := k.readFile(k.identity)
		if err != nil {
			return nil, fmt.Errorf("%s: %s", cli.Name(k.identity), cli.Reason(err))
		}
		k.tried = []string{cli.Name(k.identity)}
		return []ssh.Signer{signer}, nil
	}
	k.tried, k.unused = nil, nil // it is asked once more if the server wants two keys
	add := func(signer ssh.Signer) (isNew bool) {
		isNew = !slices.ContainsFunc(signers, func(s ssh.Signer) bool { return sameKey(s.PublicKey(), signer.PublicKey()) })
		if isNew {
			signers = append(signers, signer)
		}
		return isNew
	}
	addFiles := func(files ...string) {
		for _, path := range files {
			switch signer, err := k.readFile(path); {
			case err == nil:
				if add(signer) {
					k.tried = append(k.tried, cli.Name(path))
				}
			case !errors.Is(err, os.ErrNotExist) || k.identities != nil:
				k.unused = append(k.unused, fmt.Sprintf("%s: %s", filepath.Base(path), cli.Reason(err)))
			}
		}
	}
	addFiles(k.identities...)
	fromAgent, err := k.fromAgent()
	if err != nil {
		k.unused = append(k.unused, fmt.Sprintf("agent: %v", err))
	}
	ofAgent := 0
	for _, signer := range fromAgent {
		if !k.identitiesOnly && add(signer) {
			ofAgent++
		}
	}
	if ofAgent > 0 {
		k.tried = append(k.tried, fmt.Sprintf("%d of the agent", ofAgent))
	}
	if k.identities == nil {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			addFiles(inHome(".ssh", name))
		}
	}
	if len(signers) == 0 {
		return nil, errors.New(strings.Join(append([]string{errNoKey.Error()}, k.unused...), "; "))
	}
	return signers, nil
}

// refused returns why a login failed in a user's words. Package ssh has texts for that, and no
// types; other errors stay.
func (k *loginKeys) refused(err error) error {
	text, _ := strings.CutPrefix(err.Error(), "ssh: handshake failed: ssh: ")
	var format string
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s closed the connection before the login; it may be no SSH server", k.address)
	case strings.HasPrefix(text, "disconnect, ") && strings.Contains(strings.ToLower(text), "too many authentication failures"):
		format = "%s ended the login of %q before all keys were tried: %s; name the right one with -i"
	case !strings.HasPrefix(text, "unable to authenticate"):
		return err
	case k.tried == nil:
		return fmt.Errorf("%s does not let %q log in with a key, and unimac sends nothing else, such as a password", k.address, k.login)
	case strings.Contains(text, "methods [none],"): // and no keys among what failed
		format = "%s wants more from %q than a key, such as a password, and unimac sends nothing else; keys tried: %s"
	default:
		format = "%s accepts none of the keys tried for %q: %s; check the user, add one of them to authorized_keys there, or name another with -i"
	}
	problem := fmt.Sprintf(format, k.address, k.login, strings.Join(k.tried, ", "))
	return errors.New(strings.Join(append([]string{problem}, k.unused...), "; not tried: "))
}

// fromAgent returns the keys of the agent, if there is one. It asks once.
func (k *loginKeys) fromAgent() ([]ssh.Signer, error) {
	if k.agent != "" && !k.asked {
		k.asked = true
		k.inAgent, k.noAgent = k.askAgent()
	}
	return k.inAgent, k.noAgent
}

func (k *loginKeys) askAgent() (signers []ssh.Signer, err error) {
	conn, err := net.DialTimeout("unix", k.agent, k.patience)
	if err != nil {
		return nil, err
	}
	k.conn = conn
	conn.SetDeadline(time.Now().Add(k.patience))
	all, err := agent.NewClient(conn).Signers()
	conn.SetDeadline(k.end) // to sign, it may have to ask the user
	for _, signer := range all {
		if signer, err := k.allowed(signer); err == nil {
			signers = append(signers, signer)
		}
	}
	return signers, err
}

// close ends the connection to the agent.
func (k *loginKeys) close() {
	if k.conn != nil {
		k.conn.Close()
	}
}

// readFile reads a private key. One that is encrypted is used by the agent, which has to have it.
func (k *loginKeys) readFile(path string) (ssh.Signer, error) {
	if strings.HasSuffix(path, ".pub") { // else the mode would be the error, which others may read
		return nil, errors.New("is a public key; name the private one, without .pub")
	}
	data, err := cli.ReadSecret(path, maxPrivateKey)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(data)
	if missing, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		inAgent, _ := k.fromAgent()
		for _, signer := range inAgent {
			if missing.PublicKey != nil && sameKey(signer.PublicKey(), missing.PublicKey) {
				return signer, nil
			}
		}
		return nil, errors.New("needs a passphrase: add the key to an agent with ssh-add")
	}
	if err != nil {
		return nil, err
	}
	return k.allowed(signer)
}

// allowed returns a key that signs as the configuration allows.
func (k *loginKeys) allowed(signer ssh.Signer) (ssh.Signer, error) {
	signer, err := modern(signer)
	if err != nil {
		return nil, err
	}
	key := signer.PublicKey()
	if bits := rsaBits(key); bits < k.minRSA {
		return nil, fmt.Errorf("a key of %d bits, and keys of RSA need %d", bits, k.minRSA)
	}
	if k.publicKeys == nil {
		return signer, nil
	}
	algorithms := []string{key.Type()}
	rsa, isRSA := signer.(ssh.MultiAlgorithmSigner)
	if isRSA {
		algorithms = rsa.Algorithms()
	}
	algorithms = cut(k.publicKeys, algorithms)
	switch {
	case len(algorithms) == 0:
		return nil, fmt.Errorf("keys of type %s are not among the PubkeyAcceptedAlgorithms", key.Type())
	case isRSA:
		return ssh.NewSignerWithAlgorithms(rsa, algorithms)
	}
	return signer, nil
}
