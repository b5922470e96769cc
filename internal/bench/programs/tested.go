// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

// tested lists programs that are not measured, but whose own tests are run with the
// copy.
var tested = []program{
	{name: "sio", module: "github.com/minio/sio@v0.4.1", test: []string{"./..."}, quick: true},
	{name: "sio-go", module: "github.com/secure-io/sio-go@v0.3.1", test: []string{"./..."}, quick: true},
	{name: "noise", module: "github.com/flynn/noise@v1.1.0", test: []string{"./..."}, quick: true},
	{name: "gliderlabs-ssh", module: "github.com/gliderlabs/ssh@v0.3.8", test: []string{"."}, quick: true},
	{name: "nkeys", module: "github.com/nats-io/nkeys@v0.4.17", test: []string{"./..."}, quick: true},
	{name: "dtls", module: "github.com/pion/dtls/v3@v3.1.15", test: []string{"./..."}, unreliable: "^TestNetTest$", folder: "."},
	{name: "go-crypto", module: "github.com/ProtonMail/go-crypto@v1.5.2", test: []string{"./..."}},
	{name: "quic-go", module: "github.com/quic-go/quic-go@v0.65.0", test: []string{"./internal/handshake", "./integrationtests/self"}, unreliable: "^TestDrainServerAcceptQueue$", folder: "integrationtests/self"},
	{name: "tink-go", module: "github.com/tink-crypto/tink-go/v2@v2.9.0", test: []string{"./aead/...", "./hybrid/...", "./internal/aead"}},
	{name: "go-git", module: "github.com/go-git/go-git/v5@v5.19.3", test: []string{"./plumbing/transport/ssh/..."}, env: []string{"SSH_KNOWN_HOSTS=/dev/null"}},
	{name: "restic", module: "github.com/restic/restic@v0.18.0", test: []string{"./internal/crypto", "./internal/repository/..."}},
}
