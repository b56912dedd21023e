module github.com/rancher-agent-exporter/rancher_agent_exporter/e2e/browser

go 1.26.0

require (
	github.com/chromedp/cdproto v0.160.1
	github.com/chromedp/chromedp v0.23.1
	github.com/rancher-agent-exporter/rancher_agent_exporter v0.0.0
)

require (
	github.com/distribution/reference v0.6.0 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
)

replace github.com/rancher-agent-exporter/rancher_agent_exporter => ../..
