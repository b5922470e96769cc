module github.com/unimac/unimac/internal/programs

go 1.26.0

require github.com/unimac/unimac v0.0.0-00010101000000-000000000000

replace github.com/unimac/unimac => ../..
