# The builder is an argument so that a mirror, or a machine without a registry, can put its own image there. It needs Go
# and the CA certificates, nothing else.
ARG BUILDER=docker.io/library/golang:1.26
FROM --platform=$BUILDPLATFORM ${BUILDER} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY *.go ./
COPY collector collector
COPY internal internal
ARG TARGETARCH
# What version.Info() tells; `make image` fills it in from git.
ARG LDFLAGS
RUN CGO_ENABLED=0 GOOS=linux GOARCH=$TARGETARCH go build -trimpath -ldflags "-s -w ${LDFLAGS}" -o /rancher_agent_exporter .

FROM scratch
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="rancher_agent_exporter" \
      org.opencontainers.image.description="Prometheus exporter for leaked rancher-agent cert-writer containers (rancher/rancher#15364)" \
      org.opencontainers.image.source="https://github.com/rancher-agent-exporter/rancher_agent_exporter" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /rancher_agent_exporter /rancher_agent_exporter
# The second is of what is linked; `make image` makes it.
COPY LICENSE THIRD_PARTY_LICENSE[S] /
# Numeric, so that Kubernetes can see that it is not root. The group that may open the Docker socket differs from host to
# host and is given at run time: docker run --group-add "$(stat -c %g /var/run/docker.sock)".
USER 65532:65532
EXPOSE 15364
ENTRYPOINT ["/rancher_agent_exporter"]
