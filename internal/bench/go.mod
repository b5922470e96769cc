module github.com/unimac/unimac/internal/bench

go 1.26.0

require (
	github.com/minio/highwayhash v1.0.4
	github.com/unimac/unimac v0.0.0-00010101000000-000000000000
	golang.org/x/crypto v0.59.0
	lukechampine.com/blake3 v1.4.1
)

require (
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/unimac/unimac => ../..
