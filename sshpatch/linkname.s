// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Empty: the compiler accepts functions without a body, such as those that
// go:linkname names, in packages that have an assembly file only.
