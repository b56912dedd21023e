package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readReasons reads why each survivor is one.
func readReasons(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&reasons); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return reasons, nil
}

// complaints are survivors without a reason, and reasons for what is caught or does not exist.
func complaints(reasons map[string]string, survivors []string, only *regexp.Regexp) []string {
	var all []string
	for _, id := range survivors {
		if strings.TrimSpace(reasons[id]) == "" {
			all = append(all, fmt.Sprintf("no test notices, and there is no reason: %q", id))
		}
	}
	for id := range reasons {
		if only.MatchString(id) && !slices.Contains(survivors, id) {
			all = append(all, fmt.Sprintf("excused, but caught or not there: %q", id))
		}
	}
	slices.Sort(all)
	return all
}
