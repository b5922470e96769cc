module github.com/unimac/unimac/internal/asm

go 1.26.0

require (
	github.com/mmcloughlin/avo v0.6.0
	github.com/unimac/unimac v0.0.0-00010101000000-000000000000
)

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/unimac/unimac => ../..
