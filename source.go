// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package unimac is the root of a module of message authentication codes and
// authenticated encryption. It has no API. README.md explains which package to use.
package unimac

import "embed"

// Source contains the source of the packages that a copy of x/crypto needs, for package
// xcrypto. It is declared here because a package can embed only files below its folder.
//
//go:embed LICENSE internal/cpu/*.* internal/dispatch/*.* internal/alias/*.* internal/constanttime/*.*
//go:embed internal/chacha20/*.* internal/chacha20poly1305/*.* internal/blake2b/*.* internal/salsa20/*.*
//go:embed internal/poly1305/*.* internal/umac/*.* umac/*.* sshpatch/internal/packet/*.*
var Source embed.FS
