// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/modcopy"
)

// A vulnDB is the address of a database with the API of https://go.dev/security/vulndb/api.
type vulnDB string

// defaultVulnDB is where govulncheck looks, too.
const defaultVulnDB = "https://vuln.go.dev"

// A vulnerability is what the database says of one, as far as it is needed.
type vulnerability struct {
	ID, Summary string
	Withdrawn   *time.Time
	Affected    []struct {
		Package struct{ Name string }
		Ranges  []struct {
			Type   string
			Events []struct{ Introduced, Fixed string }
		}
		EcosystemSpecific struct {
			Imports []struct{ Path string }
		} `json:"ecosystem_specific"`
	}
}

// A finding is a vulnerability of a version of a module.
type finding struct {
	id, summary string
	packages    []string // that have it; none stands for all
	fixed       string   // in this version; "" for none
}

// find returns the vulnerabilities of a version, such as v0.31.0.
func (db vulnDB) find(module, version string) ([]finding, error) {
	version = strings.TrimPrefix(version, "v")
	var index []struct {
		Path  string
		Vulns []struct{ ID, Fixed string }
	}
	if err := db.get("index/modules.json", &index); err != nil {
		return nil, err
	}
	var found []finding
	for _, m := range index {
		if m.Path != module {
			continue
		}
		for _, listed := range m.Vulns {
			if listed.Fixed != "" && compareVersions(version, listed.Fixed) >= 0 {
				continue // saves a request
			}
			var v vulnerability
			if err := db.get("ID/"+listed.ID+".json", &v); err != nil {
				return nil, err
			}
			if f, ok := v.affects(module, version); ok {
				found = append(found, f)
			}
		}
		return found, nil
	}
	return nil, fmt.Errorf("%s does not list %s", db, module) // as it always does
}

// get reads one of the database's objects.
func (db vulnDB) get(name string, object any) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.RegisterProtocol("file", http.NewFileTransport(http.Dir("/")))
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	response, err := client.Get(strings.TrimSuffix(string(db), "/") + "/" + name)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s/%s: %s", db, name, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<20)).Decode(object); err != nil {
		return fmt.Errorf("%s/%s: %w", db, name, err)
	}
	return nil
}

// affects reports whether a version has the vulnerability.
func (v *vulnerability) affects(module, version string) (f finding, ok bool) {
	f = finding{id: v.ID, summary: v.Summary}
	if v.Withdrawn != nil {
		return f, false
	}
	for _, a := range v.Affected {
		if a.Package.Name != module {
			continue
		}
		inside := len(a.Ranges) == 0
		for _, r := range a.Ranges {
			for _, e := range r.Events { // in order
				switch {
				case e.Introduced != "" && compareVersions(version, e.Introduced) >= 0:
					inside, f.fixed = true, ""
				case e.Fixed != "" && compareVersions(version, e.Fixed) >= 0:
					inside = false
				case e.Fixed != "" && inside && f.fixed == "":
					f.fixed = "v" + e.Fixed
				}
			}
		}
		if !inside {
			continue
		}
		ok = true
		for _, i := range a.EcosystemSpecific.Imports {
			f.packages = append(f.packages, i.Path)
		}
	}
	return f, ok
}

// compareVersions compares semantic versions without the v before them, by their precedence.
func compareVersions(a, b string) int {
	a, _, _ = strings.Cut(a, "+")
	b, _, _ = strings.Cut(b, "+")
	a, preA, _ := strings.Cut(a, "-")
	b, preB, _ := strings.Cut(b, "-")
	numbers := slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), compareIdentifiers)
	switch {
	case numbers != 0 || preA == preB:
		return numbers
	case preA == "": // a release comes after what leads to it
		return 1
	case preB == "":
		return -1
	}
	return slices.CompareFunc(strings.Split(preA, "."), strings.Split(preB, "."), compareIdentifiers)
}

// compareIdentifiers compares parts of versions: numbers come before words.
func compareIdentifiers(a, b string) int {
	x, errA := strconv.ParseUint(a, 10, 64)
	y, errB := strconv.ParseUint(b, 10, 64)
	switch {
	case errA == nil && errB == nil:
		return cmp.Compare(x, y)
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

const (
	cryptoPath   = "golang.org/x/crypto"
	versionField = "x/crypto: "
)

// copiedVersion returns the version of x/crypto that a copy was made of.
func copiedVersion(dir string) (string, error) {
	record, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(modcopy.KernelsFile)))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(record)) {
		if version, ok := strings.CutPrefix(line, versionField); ok && strings.HasPrefix(version, "v") {
			return strings.TrimSpace(version), nil
		}
	}
	return "", errors.New("the copy is of a fork: the database knows only the releases of " + cryptoPath)
}

// importedPackages returns what the packages of the current module import, directly or not.
func importedPackages() (map[string]bool, error) {
	main, err := modcopy.Current(cryptoPath)
	if err != nil {
		return nil, err
	}
	out, err := modcopy.Go("-C", filepath.Dir(main.File), "list", "-deps", "./...")
	if err != nil {
		return nil, err
	}
	imported := map[string]bool{}
	for _, pkg := range strings.Fields(string(out)) {
		imported[pkg] = true
	}
	return imported, nil
}

// checkVulnerabilities tells which vulnerabilities the copy in a folder has.
func checkVulnerabilities(c *cli.Call, dir string) int {
	version, err := copiedVersion(dir)
	if err != nil {
		return c.Errorf("%v", err)
	}
	imported, err := importedPackages()
	if err != nil {
		return c.Errorf("%v", err)
	}
	db := vulnDB(cmp.Or(os.Getenv("GOVULNDB"), defaultVulnDB))
	found, err := db.find(cryptoPath, version)
	if err != nil {
		return c.Errorf("vulnerabilities of x/crypto %s were not checked: %v", version, err)
	}
	concerned := 0
	for _, f := range found {
		used := len(f.packages) == 0 || slices.ContainsFunc(f.packages, func(pkg string) bool { return imported[pkg] })
		verdict := "not imported"
		if used {
			verdict = "IMPORTED"
			concerned++
		}
		fmt.Fprintf(c.Stdout, "%s: %s: %s (%s; fixed in %s)\n", f.id, verdict, cli.Visible(f.summary), strings.Join(f.packages, ", "), cmp.Or(f.fixed, "no version"))
	}
	if concerned > 0 {
		return c.Errorf("x/crypto %s: known vulnerabilities in what this module imports: %d; update it in go.mod, remove %s and make it again", version, concerned, cli.Name(dir))
	}
	fmt.Fprintf(c.Stdout, "x/crypto %s: no known vulnerability in what this module imports\n", version)
	return cli.ExitOK
}
