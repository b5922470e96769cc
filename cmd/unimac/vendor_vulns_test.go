// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/modcopy"
)

// vulnServer serves a database whose entries have a name, the events of their ranges, and
// packages of x/crypto.
func vulnServer(t *testing.T, entries [][3]string) string {
	t.Helper()
	files := map[string]string{}
	var listed []string
	for _, e := range entries {
		var imports []string
		for _, pkg := range strings.Fields(e[2]) {
			imports = append(imports, fmt.Sprintf(`{"path": "golang.org/x/crypto/%s", "symbols": ["F"]}`, pkg))
		}
		listed = append(listed, fmt.Sprintf(`{"id": %q, "modified": "2026-01-02T03:04:05Z"}`, e[0]))
		files["/ID/"+e[0]+".json"] = fmt.Sprintf(`{"id": %q, "summary": "trouble", "affected": [
			{"package": {"name": "example.com/other"}, "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}]},
			{"package": {"name": "golang.org/x/crypto"}, "ranges": [{"type": "SEMVER", "events": [%s]}], "ecosystem_specific": {"imports": [%s]}}]}`,
			e[0], e[1], strings.Join(imports, ","))
	}
	files["/ID/GO-2026-9000.json"] = `{"id": "GO-2026-9000", "withdrawn": "2026-01-02T03:04:05Z", "affected": [{"package": {"name": "golang.org/x/crypto"}}]}`
	listed = append(listed, `{"id": "GO-2026-9000"}`, `{"id": "GO-2020-0001", "fixed": "0.0.0-20200124225646-8b5121be2f68"}`) // the latter has no file
	files["/index/modules.json"] = `[{"path": "example.com/other", "vulns": [{"id": "GO-1"}]}, {"path": "golang.org/x/crypto", "vulns": [` + strings.Join(listed, ",") + `]}]`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
		}
		w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestVulnDB(t *testing.T) {
	const all, early, late, twice = `{"introduced": "0"}`, `{"introduced": "0"}, {"fixed": "0.17.0"}`, `{"introduced": "0.30.0"}`,
		`{"introduced": "0"}, {"fixed": "0.2.0"}, {"introduced": "0.20.0"}, {"fixed": "0.31.0"}`
	url := vulnServer(t, [][3]string{
		{"GO-2026-0001", all, ""}, {"GO-2026-0002", early, "ssh"}, {"GO-2026-0003", late, "openpgp"}, {"GO-2026-0004", twice, "ssh ssh/agent"},
	})
	for version, want := range map[string]string{
		"v0.1.0":                                "1 2 4<v0.2.0",
		"v0.16.9":                               "1 2<v0.17.0",
		"v0.17.0":                               "1",
		"v0.20.0":                               "1 4<v0.31.0",
		"v0.30.9":                               "1 3 4<v0.31.0",
		"v0.31.0":                               "1 3",
		"v0.31.1-0.20241201000000-0123456789ab": "1 3",
		"v0.30.1-0.20241201000000-0123456789ab": "1 3 4<v0.31.0",
	} {
		found, err := vulnDB(url).find(cryptoPath, version)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.id[len(f.id)-1:])
		}
		last := found[len(found)-1]
		if line := strings.Join(got, " ") + strings.TrimSuffix("<"+last.fixed, "<"); line != want {
			t.Errorf("%s: %s, want %s", version, line, want)
		}
	}
	if found, _ := vulnDB(url+"/").find(cryptoPath, "v0.30.0"); len(found) != 3 || !slices.Equal(found[2].packages, []string{"golang.org/x/crypto/ssh", "golang.org/x/crypto/ssh/agent"}) {
		t.Errorf("%+v", found)
	}
	for _, tt := range []struct{ db, module, want string }{
		{url, "example.com/none", "does not list example.com/none"},
		{url, "example.com/other", "404 Not Found"},
		{url + "/nowhere", cryptoPath, "404 Not Found"},
		{"http://127.0.0.1:1", cryptoPath, "127.0.0.1:1"},
	} {
		if _, err := vulnDB(tt.db).find(tt.module, "v0.1.0"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %s: %v, want %q", tt.db, tt.module, err, tt.want)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	ascending := []string{"0", "0.0.0-20190308221718-c2843e01d9a2", "0.0.0-20201216223049-8b5274cf687f", "0.0.0", "0.9.0", "0.10.0-alpha", "0.10.0-alpha.1",
		"0.10.0-alpha.beta", "0.10.0-beta.2", "0.10.0-beta.11", "0.10.0", "0.10.1-0.20240101000000-0123456789ab", "0.10.1", "1.0.0"}
	for i, a := range ascending {
		for j, b := range ascending {
			if got := compareVersions(a, b+"+meta"); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s to %s: %d", a, b, got)
			}
		}
	}
}

// checkVulns checks a copy of the module in the folder user against several databases.
func checkVulns(t *testing.T, user, copied string, check func() result) {
	t.Helper()
	version, err := copiedVersion(copied)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(user, "main.go"), "package main\n\nimport \"golang.org/x/crypto/pbkdf2\"\n\nfunc main() { pbkdf2.Key(nil, nil, 0, 0, nil) }\n")
	const all = `{"introduced": "0"}`
	t.Setenv("GOVULNDB", vulnServer(t, [][3]string{{"GO-2026-0001", all, "openpgp"}}))
	ok := copied + ": OK\n"
	check().Want(t, 0, ok+"GO-2026-0001: not imported: trouble (golang.org/x/crypto/openpgp; fixed in no version)\nx/crypto "+version+": no known vulnerability in what this module imports\n", "")
	t.Setenv("GOVULNDB", vulnServer(t, [][3]string{{"GO-2026-0002", all + `, {"fixed": "9.0.0"}`, "openpgp pbkdf2"}}))
	check().Want(t, 1, ok+"GO-2026-0002: IMPORTED: trouble (golang.org/x/crypto/openpgp, golang.org/x/crypto/pbkdf2; fixed in v9.0.0)\n",
		"unimac vendor: x/crypto "+version+": known vulnerabilities in what this module imports: 1; update it in go.mod, remove "+copied+" and make it again\n")
	t.Setenv("GOVULNDB", "http://127.0.0.1:1")
	check().Want(t, 1, ok, "unimac vendor: vulnerabilities of x/crypto "+version+" were not checked: ")

	// A database in a folder, and a copy of a fork.
	db := t.TempDir()
	if err := os.Mkdir(filepath.Join(db, "index"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(db, "index", "modules.json"), `[{"path": "golang.org/x/crypto", "vulns": []}]`)
	t.Setenv("GOVULNDB", "file://"+db)
	check().Want(t, 0, ok+"x/crypto "+version+": no known vulnerability in what this module imports\n", "")
	fork := filepath.Join(t.TempDir(), filepath.FromSlash(modcopy.KernelsFile))
	if err := os.MkdirAll(filepath.Dir(fork), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, fork, "x/crypto: none\nfork: ./fork\n")
	if _, err := copiedVersion(strings.TrimSuffix(fork, filepath.FromSlash(modcopy.KernelsFile))); err == nil || !strings.Contains(err.Error(), "of a fork") {
		t.Error(err)
	}
}
