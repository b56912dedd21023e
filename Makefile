# Everything here needs Go alone, but for e2e, bench-engine and image (a Docker Engine) and the checks of alerts and
# dashboards (Debian's prometheus and prometheus-alertmanager). CI calls the same targets.

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
BRANCH   ?= $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
# the date of the commit, not of the build: the same commit gives the same bytes
DATE     ?= $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
VERSION_PACKAGE = github.com/prometheus/common/version
STAMP     = -X $(VERSION_PACKAGE).Version=$(VERSION) -X $(VERSION_PACKAGE).Revision=$(REVISION) \
            -X $(VERSION_PACKAGE).Branch=$(BRANCH) -X $(VERSION_PACKAGE).BuildDate=$(DATE)
TOOL      = go tool -modfile=tools/go.mod
FUZZTIME ?= 30s

.PHONY: build test race lint fuzz bench bench-engine e2e image release helm

build: ## a static, stripped binary
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w $(STAMP)" -o rancher_agent_exporter .

test:
	go test ./...

race: ## all but the end-to-end tests, which run the built program
	go test -race $$(go list ./... | grep -v /e2e)

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	$(TOOL) staticcheck ./...
	go mod tidy -diff

fuzz: ## each fuzz test for FUZZTIME
	go list ./internal/... | while read -r package; do \
	  for name in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
	  done; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./internal/rancher ./collector

bench-engine: ## against a real Docker Engine of its own; prints ratios
	go run ./e2e/bench

e2e: ## against a real Docker Engine of its own; needs root and dockerd
	go test ./e2e/...

image: ## see also the builder argument in the Dockerfile
	docker build --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) --build-arg LDFLAGS="$(STAMP)" \
	  -t rancher_agent_exporter:$(VERSION) .

release: ## tarballs, checksums and SBOMs in dist/
	VERSION="$(VERSION)" DATE="$(DATE)" LDFLAGS="$(STAMP)" deploy/release

# built apart, since `go tool` would link its 100 MB anew for each call
.cache/helm: tools/helm/go.mod
	go build -modfile=tools/helm/go.mod -o $@ helm.sh/helm/v3/cmd/helm

# -count=1, since Go does not see which files helm reads and would take a result from its cache
helm: .cache/helm ## the checks of the Helm chart; builds helm first, once, in minutes
	cd deploy/helm/check && test -z "$$(gofmt -l .)" && go vet . && HELM=$(CURDIR)/.cache/helm go test -count=1 .
