# What needs more than Go says so. CI calls the same targets.

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
BRANCH   ?= $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
# the date of the commit, not of the build: the same commit gives the same bytes
DATE     ?= $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
VERSION_PACKAGE = github.com/prometheus/common/version
STAMP     = -X $(VERSION_PACKAGE).Version=$(VERSION) -X $(VERSION_PACKAGE).Revision=$(REVISION) \
            -X $(VERSION_PACKAGE).Branch=$(BRANCH) -X $(VERSION_PACKAGE).BuildDate=$(DATE)

# Tools are built apart from the product's modules, once on a machine: tools/program says where they are.
PROGRAMS = staticcheck promtool-3 helm operator-crds dockerd-moby promtool-2.24.1 grafana-data-7 alertmanager-0.16.1 amtool-0.35 promtool-2.18.1 alertmanager-0.21 operator-rules-0.38.1 kube-apiserver-1.33
# Prometheus (beside its promtool), Alertmanager and the operators' rule parsers as Rancher ships them, by the names that tests read
STACKS = PROMTOOL_2_18=$$($(CURDIR)/tools/program promtool-2.18.1) ALERTMANAGER_0_16=$$($(CURDIR)/tools/program alertmanager-0.16.1) \
         PROMTOOL_2_24=$$($(CURDIR)/tools/program promtool-2.24.1) ALERTMANAGER_0_21=$$($(CURDIR)/tools/program alertmanager-0.21) \
         OPERATOR_RULES=$$($(CURDIR)/tools/program operator-rules-0.38.1)
# What is too heavy for CI, or runs on more binaries than CI builds, appends its target here.
CERTIFY = alerts dashboards deploy helm kube certify-stacks certify-messages
# modules of their own: what the product must not depend on
CHECK_MODULES = alerts/check dashboards/gen e2e/browser deploy/helm/check

FUZZTIME ?= 10m

.PHONY: tools build test race lint fuzz bench bench-engine e2e faults soak fleet alerts dashboards browser \
  deploy helm kube manifests image release reproducible certify certify-stacks certify-messages

build: ## a static, stripped binary
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w $(STAMP)" -o rancher_agent_exporter .

test:
	go test ./...

race: ## all but the end-to-end tests, which run the built program
	go test -race $$(go list ./... | grep -v /e2e)

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	staticcheck=$$(tools/program staticcheck) && for module in . $(CHECK_MODULES); do \
	  (cd $$module && go vet ./... && $$staticcheck ./... && go mod tidy -diff) || exit 1; \
	done

fuzz: ## each fuzz test for FUZZTIME; 80 minutes in all
	go list ./internal/... | while read -r package; do \
	  for name in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
	  done; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./internal/rancher ./internal/engine ./collector

bench-engine: ## ratios against a real Docker Engine of its own; needs root and dockerd
	go run ./e2e/bench

e2e: ## on a real Docker Engine of its own; needs root, dockerd, prometheus, alertmanager and busybox
	$(STACKS) go test -timeout 30m ./e2e/...

faults: ## each fault in turn, and what was lost; needs root and dockerd; builds a newer dockerd first, once, in minutes
	MOBY_DOCKERD=$$(tools/program dockerd-moby) go test -v -count=1 ./e2e/faults

soak: ## an hour of churn, cuts and restarts of dockerd under two Prometheus servers; needs what e2e needs
	go test -count=1 -timeout 90m -v ./e2e/soak -soak.duration=1h

fleet: ## what fleets of 500 and 2,000 nodes cost a Prometheus, healthy and leaking; needs prometheus, 4 GB of memory and of disk; 22 minutes
	go test ./e2e/fleet -run TestMeasure -count=1 -timeout 3h -v -args -nodes 500,2000

alerts: ## needs promtool and amtool
	cd alerts/check && $(STACKS) PROMTOOL3=$$($(CURDIR)/tools/program promtool-3) AMTOOL_NEWEST=$$($(CURDIR)/tools/program amtool-0.35) \
	  go test -timeout 40m ./...

deploy: ## units, scrape configurations, compose, socket proxy; needs their tools
	PROMTOOL3=$$($(CURDIR)/tools/program promtool-3) go test ./deploy/...

dashboards: ## needs prometheus, node and npm
	cd dashboards/gen && SERVERS="$$(dirname $$($(CURDIR)/tools/program promtool-2.24.1))/prometheus" \
	  GRAFANA_DATA_7=$$($(CURDIR)/tools/program grafana-data-7) go test ./...

browser: ## the status page in a real browser; needs chromium
	cd e2e/browser && go test ./...

# -count=1, since Go does not see which files helm reads and would take a result from its cache
helm: ## the chart; builds helm first, once, in minutes
	cd deploy/helm/check && HELM=$$($(CURDIR)/tools/program helm) OPERATOR_CRDS=$$($(CURDIR)/tools/program operator-crds) go test -count=1 -skip ^TestKube .

# Kubernetes' own API servers, newest first
KUBE_APISERVERS = kube-apiserver-1.33

kube: ## the chart on real API servers; needs etcd and kubectl
	for name in $(KUBE_APISERVERS); do KUBE_APISERVERS="$$KUBE_APISERVERS $$(tools/program $$name)" || exit 1; done; \
	cd deploy/helm/check && HELM=$$($(CURDIR)/tools/program helm) OPERATOR_CRDS=$$($(CURDIR)/tools/program operator-crds) KUBE_APISERVERS="$$KUBE_APISERVERS" \
	  go test -count=1 -v -timeout 40m -run ^TestKube .

manifests: ## deploy/kubernetes and the golden renders, after a change of the chart, the rules or the dashboards that was meant
	cd deploy/helm/check && HELM=$$($(CURDIR)/tools/program helm) go test -count=1 -run 'TestGolden|TestManifests' . -update

image: ## see also the builder argument in the Dockerfile; needs docker
	deploy/licenses >THIRD_PARTY_LICENSES
	docker build --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) --build-arg LDFLAGS="$(STAMP)" \
	  -t rancher_agent_exporter:$(VERSION) .

release: ## tarballs, checksums and SBOMs in dist/
	VERSION="$(VERSION)" DATE="$(DATE)" LDFLAGS="$(STAMP)" deploy/release

reproducible: release ## the binaries of the release once more, from another directory and without a cache
	LDFLAGS="$(STAMP)" deploy/reproducible

certify: $(CERTIFY) ## every check on every old and new binary; what came of it stands in docs/proof.md under "Certified"

certify-stacks: ## from the prune to the all-clear on every pair of Prometheus and Alertmanager, the newest that build too
	$(STACKS) PROMTOOL3=$$(tools/program promtool-3) ALERTMANAGER_0_31=$$(tools/program alertmanager-0.31.1) \
	  go test -v -count=1 -timeout 60m -run TestFromPruneToAllClear ./e2e

certify-messages: ## what is delivered by e-mail, Slack and webhook, on every Alertmanager
	cd alerts/check && $(STACKS) ALERTMANAGER_0_31=$$($(CURDIR)/tools/program alertmanager-0.31.1) go test -v -count=1 -run TestDelivered .

tools:
	for program in $(PROGRAMS); do tools/program $$program || exit 1; done
