// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"strings"

	"github.com/unimac/unimac/aead/stream"
)

var sealedFormats = []stream.Format{stream.UnimacV2, stream.Cobblestone128, stream.Cobblestone256, stream.ChunkedChaCha20Poly1305, stream.ChunkedAEGIS256X2}

// parseFormat returns the format with the given name, ignoring case and hyphens.
func parseFormat(name string) (stream.Format, error) {
	for _, f := range sealedFormats {
		if strings.EqualFold(strings.ReplaceAll(name, "-", ""), f.String()) {
			return f, nil
		}
	}
	return 0, fmt.Errorf("unknown format %q, want one of %s", name, strings.Join(formatNames(), ", "))
}

func formatNames() (names []string) {
	for _, f := range sealedFormats {
		names = append(names, formatName(f))
	}
	return names
}

func formatName(f stream.Format) string { return strings.ToLower(f.String()) }

// formatKey derives the stream key for format f. The secret must be the key in a key
// file or the output of Argon2id.
func formatKey(secret []byte, f stream.Format) []byte {
	label := "unimac stream v2"
	if f != stream.UnimacV2 {
		label = "unimac seal " + f.String()
	}
	return deriveKey(secret, []byte(label), f.KeySize())
}
