module github.com/rancher-agent-exporter/rancher_agent_exporter/tools/mutation

go 1.26.0

require go.yaml.in/yaml/v3 v3.0.5
