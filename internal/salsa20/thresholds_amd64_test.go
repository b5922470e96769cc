// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

func TestThresholds(t *testing.T) {
	mactest.Thresholds(t, "salsa20", mactest.Identity, worthwhilePaths)
}
