module github.com/unimac/unimac

go 1.26.0

require (
	github.com/creack/pty v1.1.24
	golang.org/x/crypto v0.58.0
	golang.org/x/sys v0.49.0
)
