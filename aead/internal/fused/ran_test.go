// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build implcount

package fused

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

func TestMain(m *testing.M) { mactest.Ran(m, "fused", nil) }
