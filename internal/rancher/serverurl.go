package rancher

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// Unknown stands in a label for what Docker does not tell or what cannot be read safely.
const Unknown = "unknown"

// maxHost is the longest host name DNS allows (RFC 1035), dots included.
const maxHost = 253

// serverURL is the scheme://host[:port] of a --server value, lower-cased, without default port, user info, path, query
// and fragment; [Unknown] where raw is no http(s) URL. An @ behind the authority is most likely a password with an
// unescaped slash or question mark in it, and the host a part of that password, so it gives [Unknown] too.
func serverURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return Unknown
	}
	if strings.Contains(u.EscapedPath()+u.RawQuery+u.EscapedFragment(), "@") {
		return Unknown
	}
	host := serverHost(u)
	if host == "" {
		return Unknown
	}
	if u.Port() == "" {
		return u.Scheme + "://" + host
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case err != nil:
		return Unknown
	case u.Scheme == "https" && port == 443, u.Scheme == "http" && port == 80: // written 0443 too
		return u.Scheme + "://" + host
	default:
		return u.Scheme + "://" + host + ":" + strconv.FormatUint(port, 10)
	}
}

// serverHost is the host as it stands in a URL, an IPv6 address in brackets; "" where it is none.
func serverHost(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if strings.HasPrefix(u.Host, "[") {
		addr, err := netip.ParseAddr(host)
		if err != nil {
			return ""
		}
		return "[" + addr.WithZone("").String() + "]"
	}
	if len(host) > maxHost || strings.ContainsFunc(host, notInHost) {
		return ""
	}
	return host
}

// notInHost is looser than DNS (underscores and internationalised names occur) and stricter than net/url.
func notInHost(r rune) bool {
	return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number) && !strings.ContainsRune("-._", r)
}
