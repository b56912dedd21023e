package rancher

import (
	"strings"
	"testing"
)

// The server label: scheme://host[:port] in lower case and nothing else, or unknown.
func TestServerURL(t *testing.T) {
	const longest = 253 // host name of DNS (RFC 1035)
	for raw, want := range map[string]string{
		// What Rancher writes.
		"https://r.example":              "https://r.example",
		"https://167.172.96.240":         "https://167.172.96.240", // the seed case
		"http://192.0.2.31:8080":         "http://192.0.2.31:8080",
		"https://192.0.2.14:8443":        "https://192.0.2.14:8443",
		"https://localhost":              "https://localhost", // #12088
		"https://my_rancher.example":     "https://my_rancher.example",
		"https://xn--mnchen-3ya.example": "https://xn--mnchen-3ya.example",
		"https://münchen.example":        "https://münchen.example",
		"https://MÜNCHEN.example":        "https://münchen.example",
		"https://cafe\u0301.example":     "https://cafe\u0301.example",
		"https://m%C3%BCnchen.example":   "https://münchen.example",
		// Case, default ports, trailing slash.
		"HTTPS://R.Example/":      "https://r.example",
		"https://r.example/":      "https://r.example",
		"https://r.example:443":   "https://r.example",
		"https://r.example:443/":  "https://r.example",
		"https://r.example:0443":  "https://r.example",
		"http://r.example:80":     "http://r.example",
		"http://r.example:0080":   "http://r.example",
		"http://r.example:443":    "http://r.example:443",
		"https://r.example:80":    "https://r.example:80",
		"https://r.example:08443": "https://r.example:8443",
		"https://r.example:":      "https://r.example",
		"https://r.example:65535": "https://r.example:65535",
		"https://r.example.":      "https://r.example.",
		"https://r.example/a/b":   "https://r.example",
		"https://r.example/a b":   "https://r.example",
		"https://r.example?a=b":   "https://r.example",
		"https://r.example/#a":    "https://r.example",
		"https://r.example/%40":   "https://r.example",
		// IPv6, without the zone, which is this node's own.
		"https://[2001:DB8::7]":          "https://[2001:db8::7]",
		"https://[2001:db8:0:0:0:0:0:7]": "https://[2001:db8::7]",
		"https://[2001:db8::7]:443":      "https://[2001:db8::7]",
		"https://[2001:db8::7]:8443":     "https://[2001:db8::7]:8443",
		"https://[fe80::1%25eth0]":       "https://[fe80::1]",
		"https://[192.0.2.7]":            Unknown,
		"https://[r.example]":            Unknown,
		"https://[2001:db8::7":           Unknown,
		"https://2001:db8::7":            Unknown,
		// Secrets (elasticsearch_exporter#263).
		"https://admin:pw@r.example":             "https://r.example",
		"https://admin:pw@r.example/x?token=abc": "https://r.example",
		"https://token-abc@r.example":            "https://r.example",
		"https://a:b@c:d@r.example":              "https://r.example",
		"https://admin:pw@R.example:443":         "https://r.example",
		"https://@r.example":                     "https://r.example",
		"https://admin:12/34@r.example":          Unknown, // a slash in the password makes admin the host
		"https://pw/34@r.example":                Unknown,
		"https://pw?34@r.example":                Unknown,
		"https://pw#34@r.example":                Unknown,
		"https://admin:12?34@r.example":          Unknown,
		"https://admin:12#34@r.example":          Unknown,
		"https://admin:p%w@r.example":            Unknown,
		`https://admin:p\w@r.example`:            Unknown,
		"https://admin:p w@r.example":            Unknown,
		"https://r.example/@":                    Unknown,
		// No http(s) URL.
		"":                                          Unknown,
		"--token":                                   Unknown, // server-url unset
		"-t":                                        Unknown,
		"r.example":                                 Unknown,
		"r.example:443":                             Unknown,
		"//r.example":                               Unknown,
		"/r.example":                                Unknown,
		"https:r.example":                           Unknown,
		"https:/r.example":                          Unknown,
		"https://":                                  Unknown,
		"https:///":                                 Unknown,
		"https:///r.example":                        Unknown,
		"https://:443":                              Unknown,
		"https://@":                                 Unknown,
		"ftp://r.example":                           Unknown,
		"wss://r.example":                           Unknown,
		"https+x://r.example":                       Unknown,
		"kubeconfig-u-abc:xyz":                      Unknown, // a token of Rancher's
		"javascript:alert(1)":                       Unknown,
		" https://r.example":                        Unknown,
		"https://r.example ":                        Unknown,
		"'https://r.example'":                       Unknown,
		`"https://r.example"`:                       Unknown,
		"https://r.example\n":                       Unknown,
		"https://r.example/\x00":                    Unknown,
		"https://r.exam\tple":                       Unknown,
		"https://r.example:https":                   Unknown,
		"https://r.example:65536":                   Unknown,
		"https://r.example:-1":                      Unknown,
		"https://r.example:+1":                      Unknown,
		"https://r.example:1:2":                     Unknown,
		"https://r.exa%20mple":                      Unknown,
		"https://r.exa%0Ample":                      Unknown,
		"https://r.exa%zzmple":                      Unknown,
		"https://r.exa%FFmple":                      Unknown,
		"https://r.exa\xffmple":                     Unknown,
		"https://r.exa\ufffdmple":                   Unknown,
		"https://r.exa\u200bmple":                   Unknown, // zero width
		"https://r.exa\u2028mple":                   Unknown, // line separator
		"https://r.exa\u202emple":                   Unknown, // right-to-left override
		"https://r.exa=mple":                        Unknown,
		"https://r.exa,mple":                        Unknown,
		"https://r.exa~mple":                        Unknown,
		"https://{{server}}":                        Unknown,
		"https://$SERVER":                           Unknown,
		"https://<server>":                          Unknown,
		"https://" + strings.Repeat("a", longest):   "https://" + strings.Repeat("a", longest),
		"https://" + strings.Repeat("a", longest+1): Unknown,
		"https://r.example/" + strings.Repeat("a", 1_000_000):      "https://r.example",
		"https://" + strings.Repeat("a@", 1_000_000) + "r.example": "https://r.example",
	} {
		got := serverURL(raw)
		if got != want {
			t.Errorf("%.60q: got %.60q, want %.60q", raw, got, want)
		}
		if again := serverURL(got); got != Unknown && again != got {
			t.Errorf("%.60q: %q becomes %q", raw, got, again)
		}
	}
}
