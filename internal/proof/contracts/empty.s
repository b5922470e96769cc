// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The compiler accepts functions without a body only in packages with assembly.
