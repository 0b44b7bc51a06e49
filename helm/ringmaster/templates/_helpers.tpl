{{- define "ringmaster.labels" -}}
app.kubernetes.io/name: ringmaster
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "ringmaster.selector" -}}
app.kubernetes.io/name: ringmaster
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "ringmaster.name" -}}
{{ printf "%s-%s" .root.Release.Name .component | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "ringmaster.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "ringmaster.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "ringmaster.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* How the service is reached inside the cluster. */}}
{{- define "ringmaster.scheme" -}}
{{ if .Values.tls.existingSecret }}https{{ else }}http{{ end }}
{{- end }}

{{- define "ringmaster.url" -}}
{{ include "ringmaster.scheme" . }}://{{ include "ringmaster.name" (dict "root" . "component" "service") }}:{{ .Values.service.port }}
{{- end }}

{{- define "ringmaster.databaseUrl" -}}
{{- $url := required "database.url: the JDBC address of a PostgreSQL, such as jdbc:postgresql://db:5432/ringmaster" .Values.database.url -}}
{{- if .Values.database.caSecret -}}
{{- if regexMatch "[?&]ssl(mode|rootcert)=" $url -}}
{{- fail "database.caSecret: it sets sslmode and sslrootcert, which database.url has already; leave one of them out" -}}
{{- end -}}
{{ $url }}{{ if contains "?" $url }}&{{ else }}?{{ end }}sslmode=verify-full&sslrootcert=/etc/ringmaster/database/ca.crt
{{- else -}}
{{ $url }}
{{- end -}}
{{- end }}

{{/* The pools of workers, as a list of whole values. */}}
{{- define "ringmaster.pools" -}}
{{- $all := list -}}
{{- $names := list -}}
{{- range $pool := .Values.workers.pools -}}
{{- if has $pool.name $names -}}
{{- fail (printf "workers.pools: two of them are called %s; give each a name of its own" $pool.name) -}}
{{- end -}}
{{- $names = append $names $pool.name -}}
{{- $all = append $all (mergeOverwrite (deepCopy (omit $.Values.workers "pools")) $pool (dict "pool" $pool.name "component" (printf "worker-%s" $pool.name))) -}}
{{- else -}}
{{- $all = append $all (mergeOverwrite (deepCopy (omit $.Values.workers "pools")) (dict "component" "worker")) -}}
{{- end -}}
{{- toJson $all -}}
{{- end }}

{{/* The properties that are objects with names of any kind. */}}
{{- define "ringmaster.quotas" -}}
{{- $names := dict "queuedJobs" "queued-jobs" "runningJobs" "running-jobs" "devices" "devices" "sharedDevices" "shared-devices" -}}
{{- $quotas := dict -}}
{{- range $key, $name := $names -}}
{{- $value := index $.Values.quotas $key -}}
{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $quotas $name (int64 $value) -}}{{- end -}}
{{- end -}}
{{- $owners := dict -}}
{{- range $owner, $limits := .Values.quotas.owners -}}
{{- $some := dict -}}
{{- range $key, $name := $names -}}
{{- $value := index $limits $key -}}
{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $some $name (int64 $value) -}}{{- end -}}
{{- end -}}
{{- $_ := set $owners (printf "[%s]" $owner) $some -}}
{{- end -}}
{{- if $owners -}}{{- $_ := set $quotas "owners" $owners -}}{{- end -}}
{{- if $quotas -}}{{- dict "ringmaster" (dict "quotas" $quotas) | toJson -}}{{- end -}}
{{- end }}

{{/* What can't be meant together; the schema sees only single values. */}}
{{- define "ringmaster.checks" -}}
{{- $oidc := .Values.login.oidc -}}
{{- if not (or .Values.login.existingSecret $oidc.issuer) -}}
{{- fail "login.existingSecret: the name of a Secret whose key tokens is a file of tokens (ringmaster token NAME --role ROLE); or login.oidc.issuer: the address of an OpenID Connect issuer. One of them is needed" -}}
{{- end -}}
{{- if and $oidc.issuer (not $oidc.audiences) -}}
{{- fail "login.oidc.audiences: what aud of the issuer's tokens must hold one of, such as [ringmaster]; without it tokens that were made for others would be let in" -}}
{{- end -}}
{{- if and (not $oidc.issuer) (or $oidc.audiences $oidc.jwksUri $oidc.roles) -}}
{{- fail "login.oidc.issuer: the address of the issuer; login.oidc has other values, which are of no use without it" -}}
{{- end -}}
{{- $s3 := .Values.artifacts.s3 -}}
{{- if and $s3.bucket (not $s3.existingSecret) -}}
{{- fail "artifacts.s3.existingSecret: the name of a Secret with the keys access-key and secret-key, for the bucket" -}}
{{- end -}}
{{- if and (not $s3.bucket) (or $s3.endpoint $s3.existingSecret $s3.caSecret $s3.prefix) -}}
{{- fail "artifacts.s3.bucket: the name of the bucket; artifacts.s3 has other values, which are of no use without it" -}}
{{- end -}}
{{- if and $s3.caSecret (hasPrefix "http:" $s3.endpoint) -}}
{{- fail "artifacts.s3.caSecret: an authority is of use for an https endpoint only; correct artifacts.s3.endpoint or leave it out" -}}
{{- end -}}
{{- end }}

{{- define "ringmaster.hasWorkers" -}}
{{- range (include "ringmaster.pools" . | fromJsonArray) -}}{{- if gt (int .replicas) 0 -}}yes{{- end -}}{{- end -}}
{{- end }}
