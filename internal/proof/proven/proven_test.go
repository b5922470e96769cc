// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proven

import (
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/table"
)

// TestDiffers checks that differs reports a missing row and a row in which a compared
// cell differs, and that it ignores the other cells.
func TestDiffers(t *testing.T) {
	row := table.Row{Kernel: "p f", Claim: "claim", Lengths: "fixed", Digest: "1-2"}
	if err := differs(nil, &row); err == nil || !strings.HasPrefix(err.Error(), "proven; the table has no row yet") {
		t.Errorf("missing row: got error %v", err)
	}
	old := row
	old.Mutants, old.Instructions = "1 caught, 0 survive", "5"
	if err := differs(&old, &row); err != nil {
		t.Error(err)
	}
	for _, cell := range []*string{&old.Claim, &old.Lengths, &old.Digest} {
		was := *cell
		*cell = "other"
		if err := differs(&old, &row); err == nil || !strings.Contains(err.Error(), `"other", want "`+was+`"`) {
			t.Errorf("cell changed from %q: got error %v", was, err)
		}
		*cell = was
	}
}
