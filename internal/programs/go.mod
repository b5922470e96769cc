module github.com/unimac/unimac/internal/programs

go 1.26.0

require github.com/unimac/unimac v0.0.0-00010101000000-000000000000

require golang.org/x/sys v0.49.0 // indirect

replace github.com/unimac/unimac => ../..
