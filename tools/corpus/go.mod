module github.com/rancher-agent-exporter/rancher_agent_exporter/tools/corpus

go 1.26.0
