// Package browser tests the status page of the built exporter in a real browser, Debian's chromium. It is a module of its
// own, so that the exporter's go.mod stays free of what drives a browser.
package browser
