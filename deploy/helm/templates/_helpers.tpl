{{/* What the roles are, and in what they differ. */}}
{{- define "svc.roles" -}}
edge: { command: src/edge/main.js, port: 8080, portName: http, listen: EDGE, drains: true }
web: { command: src/web/main.js, port: 8081, portName: http, listen: WEB, drains: true, chain: true }
pool: { command: src/pool/main.js, port: 50051, portName: grpc, listen: POOL, drains: true, chain: true }
actors: { command: actors/main.js, chain: true }
settlement: { command: actors/main.js, chain: true }
{{- end }}

{{- define "svc.name" -}}
{{- printf "%s-%s" .release .role | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: prepaid-inference
app.kubernetes.io/instance: {{ .release }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{/* Which version of the image: of a role, or of all where none is given. */}}
{{- define "svc.tag" -}}
{{- $own := "" -}}
{{- with .role }}{{ $own = (index $.root.Values .).tag }}{{ end -}}
{{- $own | default .root.Values.image.tag | default .root.Chart.AppVersion -}}
{{- end }}

{{/* Of the release and, where it is given, of a role: dict "root" $ "role" "edge". */}}
{{- define "svc.labels" -}}
{{- if .role -}}
{{ include "svc.selector" (dict "release" .root.Release.Name "role" .role) }}
{{- else -}}
app.kubernetes.io/name: prepaid-inference
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}
app.kubernetes.io/version: {{ include "svc.tag" . | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* What a role is told that is no secret: a map of variables. */}}
{{- define "svc.settings" -}}
{{- $values := index .root.Values .role -}}
{{- $own := dict "NATS_REPLICAS" .root.Values.nats.replicas "MONITOR_PORT" .root.Values.monitorPort -}}
{{- if .facts.drains -}}
{{- $_ := set $own "LEAVE_SECONDS" .root.Values.leaveSeconds -}}
{{- $_ := set $own "DRAIN_SECONDS" .root.Values.drainSeconds -}}
{{- end -}}
{{- if .facts.listen -}}
{{- $_ := set $own (printf "%s_PORT" .facts.listen) .facts.port -}}
{{- end -}}
{{- if $values.kinds -}}
{{- $_ := set $own "ACTOR_KINDS" (join "," $values.kinds) -}}
{{- end -}}
{{- if $values.tlsSecret -}}
{{- $_ := set $own "POOL_TLS_CERT" "/etc/prepaid-inference-tls/tls.crt" -}}
{{- $_ := set $own "POOL_TLS_KEY" "/etc/prepaid-inference-tls/tls.key" -}}
{{- end -}}
{{- /* Not by merge, to which 0, false and "" of a role are nothing: what all have would take their place. */ -}}
{{- $all := dict -}}
{{- range list .root.Values.config $values.config $own -}}
{{- range $name, $value := . }}{{ $_ := set $all $name $value }}{{ end -}}
{{- end -}}
{{- range $name, $value := $all }}
{{ $name }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}
