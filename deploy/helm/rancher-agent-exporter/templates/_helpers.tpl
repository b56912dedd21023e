{{- /* The name of every object but the dashboards: that of the release, with the chart's in front if it is not in it. */}}
{{- define "exporter.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride }}
{{- else if contains .Chart.Name .Release.Name -}}
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

{{- /* A reference to an image: Rancher's registry for everything goes in front of one that names no registry, as Docker tells them apart. */}}
{{- define "exporter.fromRegistry" -}}
{{- $registry := dig "cattle" "systemDefaultRegistry" "" (.root.Values.global | default dict) -}}
{{- if and $registry (not (regexMatch "^([^/]*[.:][^/]*|localhost)/" .image)) -}}
{{- printf "%s/%s" (trimSuffix "/" $registry) .image }}
{{- else -}}
{{- .image }}
{{- end -}}
{{- end }}

{{- define "exporter.image" -}}
{{- $image := .Values.image -}}
{{- $version := printf ":%s" ($image.tag | default .Chart.AppVersion) -}}
{{- if $image.digest }}{{ $version = printf "@%s" $image.digest }}{{ end -}}
{{- include "exporter.fromRegistry" (dict "root" . "image" (print $image.repository $version)) }}
{{- end }}

{{- /* docker.groupIDs as a JSON list, from a list or from the text that Rancher's form gives. */}}
{{- define "exporter.groupIDs" -}}
{{- $given := .Values.docker.groupIDs -}}
{{- if kindIs "string" $given }}{{ $given = splitList "," (nospace $given) | compact }}{{ end -}}
{{- if not (kindIs "slice" $given) }}{{ $given = list $given }}{{ end -}}
{{- $ids := list -}}
{{- range $given }}{{ $ids = append $ids (int64 .) }}{{ end -}}
{{- toJson $ids }}
{{- end }}

{{- /* The user of what opens the socket: one of its groups, or who owns the socket on every node. */}}
{{- define "exporter.socketUser" -}}
{{- if gt (len (include "exporter.groupIDs" .)) 2 -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
{{- else -}}
# who owns the socket on every node, whatever the id of its group
runAsNonRoot: false
runAsUser: 0
runAsGroup: 0
{{- end -}}
{{- end }}

{{- /* The mount of the socket into the container that may open it, below /host/run. */}}
{{- define "exporter.socketMount" -}}
- name: docker
{{- if eq .Values.docker.mount "directory" }}
  mountPath: /host/run
  readOnly: true
  # What is mounted below it (network namespaces, tmpfs of users) is let go of when the node unmounts it. Without
  # this the pod would hold on to all that was mounted when it started.
  mountPropagation: HostToContainer
{{- else }}
  mountPath: /host/run/{{ base .Values.docker.socket }}
  readOnly: true
{{- end -}}
{{- end }}

{{- /* Nothing beyond the user: for every container. */}}
{{- define "exporter.noRights" -}}
privileged: false
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* Whether the API has PodSecurityPolicies and the chart brings one: "true" or nothing. */}}
{{- define "exporter.psp" -}}
{{- if and .Values.rbac.pspEnabled (.Capabilities.APIVersions.Has "policy/v1beta1/PodSecurityPolicy") (semverCompare "<1.25-0" .Capabilities.KubeVersion.Version) -}}
true
{{- end -}}
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
{{- with $monitor.metricRelabelings }}
metricRelabelings:
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
