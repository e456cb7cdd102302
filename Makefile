# One toolchain and one set of build flags for every target, so that nothing is compiled twice. CGO_ENABLED is left to Go,
# which turns it on where there is a C compiler: only the race detector cannot do without one.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

export GOTOOLCHAIN := go1.27.3
export GOFLAGS := -buildvcs=false
export PATH := $(CURDIR)/.tools/bin:$(PATH)

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -X main.version=$(VERSION)
PLATFORMS := linux/amd64 linux/arm64 darwin/arm64

DASHBOARD := dashboard/dist/index.html
LINTER := .tools/bin/golangci-lint

# The time of each part is printed, so that a part that grows is seen.
part = @TIMEFORMAT='=== $(1): %1R s'; echo '=== $(1)'; time $(MAKE) $(1)

.PHONY: help run test build bench lint generate release clean \
	test-system test-dashboard test-go test-e2e bin/formonce

help: ## Say what the targets do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The shell becomes the program, so that Ctrl-C and a signal to make reach it.
run: build ## Build everything and serve it with its own database and a demo tenant
	@PG_BIN_DIR="$$(node .ci/postgres.mjs)"; export PG_BIN_DIR; exec bin/formonce serve --demo

test: ## Run everything that CI runs
	$(call part,test-system)
	$(call part,lint)
	$(call part,test-dashboard)
	$(call part,build)
	$(call part,test-go)
	$(call part,test-e2e)

build: $(DASHBOARD) bin/formonce ## Build the dashboard and bin/formonce

bench: ## Run every benchmark once, without the tests
	@PG_BIN_DIR="$$(node .ci/postgres.mjs)"; export PG_BIN_DIR; go test -run '^$$' -bench . -benchmem ./...

lint: $(LINTER) ## Run the linter over the Go code
	$(LINTER) run ./...

# The types follow the contract, so that they come last.
generate: dashboard/node_modules/.package-lock.json ## Write the files that are made from others: golden schema, contract, its types
	@PG_BIN_DIR="$$(node .ci/postgres.mjs)"; export PG_BIN_DIR; go test -count=1 ./migrations -update; \
		go test -count=1 -run Joined ./api -update
	cd dashboard && npm run generate

release: $(DASHBOARD) ## Build one static binary for each platform into dist/
	@rm -rf dist && mkdir dist
	@for platform in $(PLATFORMS); do \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} \
			go build -trimpath -ldflags '-s -w $(LDFLAGS)' -o "dist/formonce-$(VERSION)-$${platform/\//-}" .; \
	done
	@cd dist && sha256sum formonce-* > SHA256SUMS && cat SHA256SUMS

clean: ## Delete what the targets built; the data in .data stays
	rm -rf bin dist .tools dashboard/node_modules dashboard/dist/assets $(DASHBOARD)

# Go knows best whether the program is up to date.
bin/formonce:
	go build -ldflags '$(LDFLAGS)' -o $@ .

test-system:
	@.ci/system.sh

test-go:
	@PG_BIN_DIR="$$(node .ci/postgres.mjs)"; export PG_BIN_DIR CGO_ENABLED=1; go test -race -timeout 8m ./...

test-dashboard: dashboard/node_modules/.package-lock.json
	cd dashboard && npm run check && npm test

test-e2e: build
	@PG_BIN_DIR="$$(node .ci/postgres.mjs)"; export PG_BIN_DIR FORMONCE_BIN="$(CURDIR)/bin/formonce"; \
		cd web/e2e && npm ci && npm test

$(DASHBOARD): dashboard/node_modules/.package-lock.json $(shell find dashboard/src -type f) \
		$(wildcard dashboard/*.html dashboard/*.ts dashboard/*.json)
	cd dashboard && npm run build

dashboard/node_modules/.package-lock.json: dashboard/package-lock.json
	cd dashboard && npm ci
	@touch $@

$(LINTER): tools.mod
	go build -modfile=tools.mod -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
