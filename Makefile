# payswitch: everything a developer runs. Needs Go and make alone (and module downloads); `make help` lists the targets.

GO        ?= go
SHELL     := /bin/sh
FUZZTIME  ?= 3s
BENCH     ?= .
KILLS     ?= 200
SEED      ?=
DATABASE  ?= sqlite
SOAK      ?= 30m
NODES     ?= 2
BENCHTIME ?= 1s
DEMO      ?= .cache/demo
MOST      ?= 45000000

FOLDERS  := cmd router engine plugins sdk storage
ADAPTERS := $(patsubst plugins/%/wasm,%,$(wildcard plugins/*/wasm))
MODULES  := $(ADAPTERS:%=plugins/builtin/%.wasm)
PACK     := plugins/builtin/embedded/adapters.zip
# sources are the files and folders that a folder's programs are built of.
sources = $(shell find $(1) -name testdata -prune -o \( -type d -o -type f ! -name '*_test.go' ! -name '*.md' \) -print)
SDK      := $(call sources,sdk)
SHRUNK   := $(addsuffix .zip.zst,cmd/payswitch/project cmd/payswitch/sdk engine/routing/errors router/openapi router/checkout/files router/dashboard/files router/paylink/files storage/files)
# The flags make the same source the same file, wherever and whenever it is built: an adapter is known by its hash.
WASM     := GOOS=wasip1 GOARCH=wasm CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -buildmode=c-shared -ldflags='-s -w -buildid='

.PHONY: help run build plugins assets test raced check vet lint fuzz fuzz-one chaos soak bench fmt clean packed FORCE
.DELETE_ON_ERROR:

help:
	@echo 'make run      build everything and start a demo with a merchant, keys and a simulated processor'
	@echo 'make test     format, vet, staticcheck, all tests with the race detector, adapters as WASM, short fuzz runs'
	@echo 'make build    bin/payswitch, with the adapters inside'
	@echo 'make plugins  the built-in adapters: plugins/builtin/*.wasm, and the pack of them that the binary embeds'
	@echo 'make assets   the scripts and styles of the pages: router/*/assets/*, which the binary embeds'
	@echo 'make check    format, vet and staticcheck alone'
	@echo 'make fuzz     every fuzz target for FUZZTIME=$(FUZZTIME)'
	@echo 'make chaos    the crash test, with KILLS=$(KILLS) kills, and all planted defects; SEED=n repeats a run'
	@echo '              DATABASE=postgres NODES=3: the crash test on PostgreSQL with three nodes, and a fail-over'
	@echo 'make soak     SOAK=$(SOAK) at 70 % of capacity, with DATABASE=postgres on PostgreSQL; memory and latency stay flat'
	@echo 'make bench    every benchmark, or BENCH=pattern'
	@echo 'make fmt      format the source'
	@echo 'make clean    remove what was built, and the demo database'

run: build
	@bin/payswitch demo --data $(DEMO)

# The Go build cache finds out what changed. Without debugger symbols the binary is a third smaller; stack traces keep their lines.
# With the tag shrunk the binary embeds texts compressed, as the files in SHRUNK. Functions start at any byte instead of multiples of 32. Without cgo
# the binary needs no file of the system, so it runs in an empty image too. What is not on a payment's way (COLD) is compiled without inlining, which
# makes the binary 2 % smaller. LIGHT leaves out what debuggers read, an eighth of the compiler's work: the linker would drop it. TRIM=-trimpath CGO=1
# builds of the packages that make test has compiled.
LIGHT := -gcflags=all=-dwarf=false
COLD := payswitch/cmd/... payswitch/router/dashboard/... payswitch/router/paylink/... payswitch/engine/staff/... payswitch/engine/late/... payswitch/engine/timeline/... payswitch/sdk/sdktest/... go.yaml.in/yaml/v3 \
        payswitch/engine/search/... payswitch/engine/operator/... payswitch/engine/restore/... payswitch/engine/paylink/... payswitch/engine/approval/... payswitch/engine/dispute/... \
        payswitch/engine/link/... payswitch/engine/facet/... payswitch/engine/refund/... payswitch/engine/webhook/... payswitch/engine/hold/... payswitch/engine/resolve/... payswitch/plugins/internal/... payswitch/plugins/simulator3ds/... github.com/tetratelabs/wazero/internal/engine/interpreter \
        google.golang.org/protobuf/... github.com/go-webauthn/... github.com/google/go-tpm/... github.com/fxamacker/cbor/... github.com/tinylib/... \
        github.com/prometheus/... github.com/knadh/... github.com/go-viper/... golang.org/x/text/... rsc.io/... \
        html/template text/template text/template/parse go/parser go/scanner go/ast debug/dwarf encoding/xml encoding/asn1 \
        crypto/x509 crypto/x509/pkix archive/zip encoding/csv net/mail text/tabwriter image image/color golang.org/x/mod/... golang.org/x/crypto/ocsp \
        github.com/golang-jwt/... github.com/mitchellh/... github.com/tink-crypto/tink-go/v2/proto/... github.com/tink-crypto/tink-go/v2/keyset go.opentelemetry.io/proto/... \
        go.opentelemetry.io/otel/... aead.dev/minisign payswitch/engine/relay/... \
        github.com/tink-crypto/tink-go/v2/internal/protoserialization github.com/tink-crypto/tink-go/v2/internal/registryconfig/... \
        regexp/syntax math/big payswitch/router/checkout vendor/golang.org/x/net/idna vendor/golang.org/x/text/... crypto/hpke \
        github.com/jackc/pgservicefile github.com/jackc/pgpassfile encoding/pem crypto/dsa expvar os/user os/exec go/token mime/quotedprintable
TRIM := -trimpath $(LIGHT) $(COLD:%='-gcflags=%=-l -dwarf=false')
CGO  := 0
RUN  := $(GO) run -trimpath $(LIGHT)
build: plugins assets $(SHRUNK)
	@echo 'building bin/payswitch'
	@CGO_ENABLED=$(CGO) $(GO) build $(TRIM) -buildvcs=auto -tags shrunk -ldflags='-s -w -funcalign=1' -o bin/payswitch ./cmd/payswitch
	@bytes=$$(wc -c < bin/payswitch); [ "$$($(GO) env GOOS)/$$($(GO) env GOARCH)" != linux/amd64 ] || [ $$bytes -lt $(MOST) ] || \
	  { echo "bin/payswitch has $$bytes bytes: README.md promises fewer than $(MOST). Leave out a dependency, or pack a text as SHRUNK does."; exit 1; }

cmd/payswitch/project.zip.zst: $(call sources,cmd/payswitch/project) Makefile
	@$(RUN) ./cmd/payswitch/internal/shrink $@ cmd/payswitch project

cmd/payswitch/sdk.zip.zst: $(SDK) $(wildcard sdk/*.md) Makefile
	@set -f; $(RUN) ./cmd/payswitch/internal/shrink $@ sdk $$(sed -n 's,^//go:embed ,,p' sdk/embed.go)

router/checkout/files.zip.zst: router/checkout/assets/.made $(wildcard router/checkout/locales/*) Makefile
	@$(RUN) ./cmd/payswitch/internal/shrink $@ router/checkout assets locales

router/dashboard/files.zip.zst: router/dashboard/assets/.made $(wildcard router/dashboard/pages/* router/dashboard/pages/*/*) Makefile
	@$(RUN) ./cmd/payswitch/internal/shrink $@ router/dashboard assets pages

router/paylink/files.zip.zst: $(wildcard router/paylink/*.html router/paylink/texts/*) Makefile
	@$(RUN) ./cmd/payswitch/internal/shrink $@ router/paylink page.html texts

storage/files.zip.zst: $(wildcard storage/migrations/*) Makefile
	@$(RUN) ./cmd/payswitch/internal/shrink $@ storage migrations

engine/routing/errors.zip.zst: engine/routing/errors.txt Makefile
	@$(RUN) ./cmd/payswitch/internal/shrink $@ engine/routing errors.txt

router/openapi.zip.zst: router/openapi.yaml Makefile
	@$(RUN) ./cmd/payswitch/internal/shrink $@ router openapi.yaml

plugins:
	@$(MAKE) --no-print-directory -j $$(getconf _NPROCESSORS_ONLN) packed

packed: $(PACK)
	@:

# make decides about adapters by the times of files, because the linker writes a WASM module anew each time. Folders count as well: their
# times change when a file is added or removed.
TOOLCHAIN := .cache/toolchain
define adapter
plugins/builtin/$(1).wasm: $(call sources,plugins/$(1)) $(SDK) go.mod go.sum Makefile $(TOOLCHAIN)
	@echo 'building $$@'; $(WASM) -o $$@ ./plugins/$(1)/wasm
endef
$(foreach name,$(ADAPTERS),$(eval $(call adapter,$(name))))

# Another Go, or other settings of it, make other modules.
$(TOOLCHAIN): FORCE
	@mkdir -p $(@D); $(GO) env GOVERSION GOFLAGS GOWASM GOEXPERIMENT > $@.now; cmp -s $@.now $@ && rm $@.now || mv $@.now $@

# Each module with its description, so that a first start need not compile all adapters to find out what they are.
$(PACK): $(MODULES)
	@rm -f $(filter-out $(MODULES),$(wildcard plugins/builtin/*.wasm))
	@echo 'packing $@'; $(RUN) ./plugins/internal/pack plugins/builtin $@

# The pages of router/NAME load what is made from the entries src/*.ts, src/*.mts and src/*.css. What entries import lies in folders below src.
PAGES  := $(patsubst router/%/src,%,$(wildcard router/*/src))
ASSETS := $(PAGES:%=router/%/assets/.made)
define page
router/$(1)/assets/.made: $(shell find router/$(1)/src router/internal/bundle -type d -o -type f ! -name '*_test.go') go.sum Makefile
	@echo 'bundling router/$(1)/assets'
	@$(RUN) ./router/internal/bundle $$(@D) $(wildcard router/$(1)/src/*.ts router/$(1)/src/*.mts router/$(1)/src/*.css) && touch $$@
endef
$(foreach name,$(PAGES),$(eval $(call page,$(name))))
assets: $(ASSETS)

# The race detector watches all that is ours, and the standard library. UNWATCHED are other people's machines of millions of steps, which it slows down
# tenfold (a WASM compiler, a database translated from C): they are built without it. Locks and channels in them still count as order between goroutines.
# None of them may use sync.Map or another generic type that synchronises: the linker might take their copy of it for everybody's, and order would go unseen.
# Where there is no C compiler, go turns cgo off, and the race detector with it. RACED are the packages that start a goroutine, hold a lock or test in
# parallel, but for UNRACED: they start programs, which are built without it, or what runs them concurrently is tested with it (sdk, engine/evidence).
WAZEVO    := github.com/tetratelabs/wazero/internal/engine/wazevo
UNWATCHED := $(WAZEVO)/ssa $(WAZEVO)/frontend $(WAZEVO)/backend/... modernc.org/sqlite/lib modernc.org/libc modernc.org/memory
RACE      := -race $(UNWATCHED:%='-gcflags=%=-race=false -dwarf=false')
# TEST_ALL runs the tests that cost much of a processor too: go test ./... alone skips them, to end within two minutes. It does not begin with PAYSWITCH_:
# the program takes variables of that name for settings, and refuses those that it does not know.
UNRACED   := payswitch/cmd/payswitch payswitch/engine/evidence payswitch/plugins/internal/certified payswitch/sdk
PACKAGES   = $(shell $(GO) list ./...)
STARTS    := ^[[:space:]]*go [a-z]|[.]Go[(]|t[.]Parallel[(]
RACED      = $(filter-out $(UNRACED),$(filter $(PACKAGES),$(sort $(patsubst %/,payswitch/%,$(dir $(shell \
  grep -rlE --include='*.go' '$(STARTS)' $(FOLDERS); \
  grep -rlE --include='*.go' --exclude='*_test.go' '"sync(/atomic)?"' $(FOLDERS)))))))
# The slowest packages begin first: otherwise one of them runs alone at the end.
FIRST     := payswitch/engine payswitch/storage payswitch/router/dashboard payswitch/router
# The tests of these packages without concurrency run without the race detector as well, and their others with it.
ALSO      := payswitch/plugins payswitch/plugins/sandbox
# make vet has vetted all that the tests are built of. Without paths of this folder, what go vet compiles serves the tests too, and the copies of the source
# that tests build. Adapters are built without LIGHT, so that KEPT vets what make plugins compiles. The compiler spends a fifth of its time on collecting
# garbage. COMPILER spares that where memory is not short; the tests do not see its settings.
FLAGS     := $(GOFLAGS) -trimpath $(LIGHT) -ldflags=-w
KEPT      := -gcflags=all= -ldflags=
COMPILER  := -toolexec 'env GOGC=400 GOMEMLIMIT=3GiB'
vet lint raced fuzz-one: export GOFLAGS := $(FLAGS)
TEST      := TEST_ALL=1 GOFLAGS='$(FLAGS)' $(GO) test $(COMPILER) -vet=off -timeout 40m
# Staticcheck keeps one processor busy: the race detector's tests run at the same time.
test: vet plugins assets
	@$(MAKE) --no-print-directory -j 2 --output-sync=target lint raced
	@$(MAKE) --no-print-directory fuzz WITHOUT='^(cmd/payswitch|router)$$$$'
	$(TEST) -parallel 4 $(filter-out $(RACED),$(PACKAGES)) $(ALSO)

raced:
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ]; then set -x; $(TEST) $(RACE) $(FIRST) $(filter-out $(FIRST),$(RACED)); else \
	  echo 'no C compiler was found: testing without the race detector'; set -x; $(TEST) $(FIRST) $(filter-out $(FIRST),$(RACED)); fi

check: vet lint

# Tools that read everything and end spend a third of their time on collecting garbage, where memory is not short.
vet lint: export GOGC := 400
vet lint: export GOMEMLIMIT := 3GiB
vet:
	@unformatted=$$(gofmt -s -l $(FOLDERS)); if [ -n "$$unformatted" ]; then \
	  echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	GOOS=wasip1 GOARCH=wasm $(GO) vet $(KEPT) $(ADAPTERS:%=./plugins/%/wasm)
	cd sdk && GOOS=wasip1 GOARCH=wasm $(GO) vet $(KEPT) $$(GOOS=wasip1 GOARCH=wasm $(GO) list -f '{{join .GoFiles " "}}' .)

lint:
	$(GO) tool staticcheck ./...

# One binary a package, as each takes as long to link as a target is run; two packages are built and run at a time. make test fuzzes the packages WITHOUT
# a database: to build SQLite for fuzzing takes longer than all the runs. The seeds of the others are tests like any. Coverage guides the fuzzing in FUZZED:
# our code, and the parsers below it. The flag -fuzz would build everything else for that once more, the WASM compiler too. Another FUZZTIME than that of
# make test fuzzes the costly targets as well, which need some seconds to begin.
WITHOUT ?= ^$$
FUZZED  := payswitch/... encoding/json encoding/xml github.com/go-json-experiment/json/...
fuzz:
	@grep -rlE --include='*_test.go' '^func Fuzz' $(FOLDERS) | xargs -n 1 dirname | sort -u | grep -vE '$(WITHOUT)' | xargs -P 2 -I {} $(MAKE) --no-print-directory fuzz-one DIR={}

# Go itself sometimes ends a fuzz run at its deadline with the failure "context deadline exceeded"; a finding always names its input.
fuzz-one:
	@bin=$$(mktemp -d) || exit 1; trap 'rm -rf "$$bin"' EXIT; cache=$$($(GO) env GOCACHE)/fuzz/payswitch/$(DIR); \
	$(GO) test $(COMPILER) -c -vet=off $(FUZZED:%='-gcflags=%=-d=libfuzzer -dwarf=false') -o "$$bin/fuzz" "./$(DIR)" || exit 1; cd "$(DIR)"; \
	for target in $$(grep -hEo '^func Fuzz[A-Za-z0-9_]+' *_test.go | cut -d ' ' -f 2 | sort); do \
	  if out=$$($(if $(filter 3s,$(FUZZTIME)),,TEST_ALL=1 )"$$bin/fuzz" -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 50x -test.parallel 1 -test.fuzzcachedir "$$cache" 2>&1); then \
	    echo "$(DIR) $$target: $$(printf '%s\n' "$$out" | sed -n 's/^fuzz: elapsed: //p' | tail -n 1)"; \
	  elif printf '%s\n' "$$out" | grep -q 'context deadline exceeded' && ! printf '%s\n' "$$out" | grep -q 'Failing input'; then \
	    echo "$(DIR) $$target: nothing until its deadline"; \
	  else printf '%s\n' "$$out"; exit 1; fi; \
	done

# The short form runs in make test.
chaos: plugins assets
	CHAOS_KILLS=$(KILLS) CHAOS_SEED=$(SEED) CHAOS_DATABASE=$(DATABASE) CHAOS_NODES=$(NODES) $(GO) test -v -count 1 -parallel 3 -timeout 90m \
	  -run '^TestChaos$(if $(filter postgres,$(DATABASE)),($$|FailOver),)' ./cmd/payswitch

# Memory, goroutines, descriptors and latency stay flat at 70 % of capacity.
soak: plugins assets
	SOAK=$(SOAK) SOAK_DATABASE=$(DATABASE) $(GO) test -v -count 1 -timeout 24h -run '^TestSoak$$' ./cmd/payswitch

bench: plugins assets
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

fmt:
	gofmt -s -w $(FOLDERS)

clean:
	rm -rf bin .cache plugins/builtin/*.wasm $(PACK) $(SHRUNK) $(ASSETS) router/*/assets/*.js router/*/assets/*.mjs router/*/assets/*.css
