// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis_test

import (
	"testing"

	"github.com/unimac/unimac/internal/proof/proven"
)

func TestMain(m *testing.M) { proven.Main(m) }

func TestKernels(t *testing.T) { proven.Kernels(t, "../../../..", "aegis") }
