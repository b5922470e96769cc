module github.com/unimac/unimac/internal/programs

go 1.26.0
