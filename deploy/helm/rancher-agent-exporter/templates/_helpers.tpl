{{- /* The name of every object but the dashboards: that of the release, with the chart's in front if it is not in it. */}}
{{- define "exporter.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else -}}
{{- printf "%s-%s" .Chart.Name .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "exporter.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "exporter.labels" -}}
{{ include "exporter.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* What the kubelet is to ask: the exporter's own pages, or with clientAuth whether the port is open. */}}
{{- define "exporter.probe" -}}
{{- $web := .root.Values.web -}}
{{- if $web.clientAuth -}}
tcpSocket:
  port: metrics
{{- else -}}
httpGet:
  path: {{ .path }}
  port: metrics
  {{- if $web.configSecret }}
  scheme: HTTPS
  {{- end }}
{{- end -}}
{{- end }}

{{- /* One endpoint of the ServiceMonitor or PodMonitor. relabelings and not metricRelabelings: `up` has to have these labels too. */}}
{{- define "exporter.endpoint" -}}
{{- $monitor := .Values.monitor -}}
port: metrics
interval: {{ $monitor.intervalSeconds }}s
scrapeTimeout: {{ include "exporter.scrapeTimeout" . }}s
{{- if .Values.web.configSecret }}
scheme: https
{{- end }}
{{- with $monitor.tlsConfig }}
tlsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.basicAuth }}
basicAuth:
  {{- toYaml . | nindent 2 }}
{{- end }}
relabelings:
# the alerts and dashboards look for this job, whatever the release is called
- targetLabel: job
  replacement: rancher-agent-exporter
- sourceLabels: [__meta_kubernetes_pod_node_name]
  targetLabel: node
# the node and not the pod's address, so that nothing changes when the pod is replaced
- sourceLabels: [__meta_kubernetes_pod_node_name]
  targetLabel: instance
{{- range $label, $value := $monitor.clusterLabels }}
{{- if $value }}
- targetLabel: {{ $label }}
  replacement: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The exporter answers, with docker_up 0, once it has waited timeoutSeconds for Docker; 10 s by default, as in Prometheus. */}}
{{- define "exporter.scrapeTimeout" -}}
{{- add .Values.docker.timeoutSeconds 5 -}}
{{- end }}
