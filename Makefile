# SPDX-License-Identifier: Apache-2.0
# ovh: build, test, install. No configure step; `make help` says what there is.
#
#   make                        libovh.so, ovh-report, ovh-record, the simulated CUDA libraries
#   make demo                   PyTorch's nn.Linear under libovh.so, then the report; without a GPU on the simulated device
#   make test                   what is missing here (deps, PyTorch for the tests), then the whole test suite
#   make check                  the test suite with what is there; what lacks something is skipped, and counted
#   make bench                  what observing costs: printed, and kept in build/bench/*.json
#   make deps                   installs what is missing (Debian, Ubuntu), or says what is
#   make install                into PREFIX=/usr/local, below DESTDIR= where given; make uninstall takes it away again
#   make DEVELOPER=1            warnings are errors
#   make SANITIZE=address,undefined | SANITIZE=thread      (the tools and their tests; the library where it can be)
#   make CROSS=aarch64-linux-gnu-                          everything for aarch64, into build/aarch64
#   make fuzz                   the tools on hostile traces, with libFuzzer (FUZZ_SECONDS=20 for each target); needs clang
#   make check-tables           the hook tables against the CUDA headers that are here
#   make twin                   libovh-twin.so: the same symbols, records nothing; the yardstick of the benchmarks
#   make man | format | compile_commands.json | clean

CROSS ?=
CC := $(CROSS)gcc
AR := $(CROSS)ar
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m)))
HOST_ARCH := $(firstword $(subst -, ,$(shell gcc -dumpmachine 2>/dev/null || uname -m)))
BUILD ?= build/$(ARCH)$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))
comma := ,
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share/ovh
VERSION := 0.1.0

# Native builds put what people call by hand beside the Makefile; cross and sanitizer builds stay in their folder.
ifeq ($(ARCH)$(SANITIZE),$(HOST_ARCH))
OUT := .
else
OUT := $(BUILD)
endif

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wno-unused-parameter
ifdef DEVELOPER
WARN += -Werror -Wundef -Wvla -Wwrite-strings -Wold-style-definition
endif
CFLAGS ?= -O2 -g
BASE := -std=gnu11 -I. -Iinclude -DOVH_VERSION='"$(VERSION)"' $(WARN) -MMD -MP
ifdef SANITIZE
SAN := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
# The library is loaded into programs that carry no sanitizer's run-time library: of the sanitizers it takes what needs none.
ifneq ($(findstring undefined,$(SANITIZE)),)
GUEST_SAN := -fsanitize=undefined -fsanitize-undefined-trap-on-error
endif
endif

.DEFAULT_GOAL := all
.PHONY: all help clean install uninstall deps test check check-tables bench demo twin sim fuzz format compile_commands.json golden
.PHONY: test-venvs test-pythons man

# ---- libovh.so: a guest in somebody else's process. libc only, symbol versions of old glibc, nothing visible but the tables' names.
# No FORTIFY or stack protector: they would bring newer symbols and run inside the host; -fexceptions lets C++ exceptions pass.
GUEST_CFLAGS := $(BASE) $(CFLAGS) -fPIC -fvisibility=hidden -fno-semantic-interposition -fexceptions -fno-stack-protector \
	-U_FORTIFY_SOURCE -fno-plt -ftls-model=initial-exec $(GUEST_SAN)
# Old versions of glibc's functions; libdl and libpthread by name, since newer systems have them in libc and old ones need them.
GUEST_OLD := -include preload/old_glibc.h
GUEST_LIBS := -Wl,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0
GUEST_LDFLAGS := -shared -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,-z,defs -Wl,--no-undefined -Wl,-soname,libovh.so
GUEST_SRC := $(wildcard preload/*/*.c preload/*/*.S preload/*.c)
GUEST_OBJ := $(patsubst %,$(BUILD)/%.o,$(basename $(GUEST_SRC)))
# Wrappers stay in the order of the tables, an exported one beside the body it jumps to: fewer pages of code on the way of a call.
$(BUILD)/preload/cuda/wrap_%.o: GUEST_CFLAGS += -fno-toplevel-reorder
TWIN_OBJ := $(patsubst %,$(BUILD)/twin/%.o,$(basename $(GUEST_SRC)))

# ---- ovh-report, ovh-record
REPORT_SRC := $(wildcard analyzer/*.c analyzer/*/*.c analyzer/*/*/*.c)
REPORT_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(REPORT_SRC))
REPORT_LIB_OBJ := $(filter-out $(BUILD)/analyzer/main.o,$(REPORT_OBJ))
# A cross build may take its libraries from where `make deps CROSS=...` unpacks them.
REPORT_LIBS := $(if $(CROSS),-L$(BUILD)/sysroot/usr/lib/$(CROSS:-=)) -lsmartcols -ljansson -lm -ldl
RECORD_SRC := $(wildcard record/*.c)
RECORD_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(RECORD_SRC))
RECORD_LIBS := -ldl
TOOL_CFLAGS := $(BASE) $(CFLAGS) $(SAN) -DOVH_LIBDIR='"$(LIBDIR)"' -DOVH_BINDIR='"$(BINDIR)"' -DOVH_ARCH_NAME='"$(ARCH)"'

all: $(OUT)/libovh.so $(OUT)/ovh-report $(OUT)/ovh-record sim

$(OUT)/libovh.so: $(GUEST_OBJ) $(BUILD)/exports.map
	$(CC) $(CFLAGS) $(GUEST_LDFLAGS) -Wl,--version-script,$(BUILD)/exports.map -o $@ $(GUEST_OBJ) $(GUEST_LIBS)
$(BUILD)/libovh-twin.so: $(TWIN_OBJ) $(BUILD)/exports.map
	$(CC) $(CFLAGS) $(GUEST_LDFLAGS) -Wl,--version-script,$(BUILD)/exports.map -o $@ $(TWIN_OBJ) $(GUEST_LIBS)
# What the library exports: the tables' names and the few that preload/cuda/exports.h adds, in an anonymous version node.
$(BUILD)/exports.map: preload/cuda/exports.h $(wildcard include/ovh/hooks/*.def)
	@mkdir -p $(@D)
	{ echo '{ global:'; $(CC) -E -P -Iinclude -x c $< | tr ' ' '\n' | grep . | sort -u; echo 'local: *; };'; } > $@
twin: $(BUILD)/libovh-twin.so
$(OUT)/ovh-report: $(REPORT_OBJ)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ $(REPORT_LIBS)
$(OUT)/ovh-record: $(RECORD_OBJ)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ $(RECORD_LIBS)

$(BUILD)/preload/%.o: preload/%.c
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) $(GUEST_OLD) -c -o $@ $<
$(BUILD)/preload/%.o: preload/%.S
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) -c -o $@ $<
$(BUILD)/twin/preload/%.o: preload/%.c
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) $(GUEST_OLD) -DOVH_TWIN -c -o $@ $<
$(BUILD)/twin/preload/%.o: preload/%.S
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) -DOVH_TWIN -c -o $@ $<
$(BUILD)/analyzer/%.o: analyzer/%.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -c -o $@ $<
$(BUILD)/record/%.o: record/%.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -c -o $@ $<

-include sim/sim.mk
-include $(sort $(wildcard tests/*/area.mk))
-include tests/tests.mk
-include docs/docs.mk
-include examples/examples.mk
-include tests/bench/bench.mk

# ---- what people call

help:
	@sed -n 's/^#   make/  make/p' Makefile

# Runs before everything that a fresh machine is asked for first. The targets proper come through a second make, since the first one
# was read before there was a compiler to ask.
deps:
	@CC=$(CC) DEPS_CROSS=$(CROSS) scripts/deps.sh
test: deps deps-aarch64
	+@$(BUILD_QUIETLY)
	+@$(MAKE) --no-print-directory -s test-venvs test-pythons check
demo: deps
	+@$(BUILD_QUIETLY)
	+@$(MAKE) --no-print-directory -s demo-run
# Warnings and errors only; the commands themselves are shown by `make`.
BUILD_QUIETLY = echo "== building (a minute or so the first time)" >&2 && $(MAKE) --no-print-directory -s all

# Installed files, each once: `uninstall` removes exactly these. $(SIM_INSTALL) comes from sim/sim.mk.
INSTALL_DOCS := $(wildcard README.md LICENSE docs/*.md)
SIMDIR = $(LIBDIR)/ovh/sim
DOCDIR = $(PREFIX)/share/doc/ovh
INSTALLED = $(LIBDIR)/libovh.so $(BINDIR)/ovh-report $(BINDIR)/ovh-record $(addprefix $(SIMDIR)/,$(notdir $(SIM_INSTALL))) \
	$(foreach m,$(MAN_PAGES),$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m))) $(addprefix $(DOCDIR)/,$(notdir $(INSTALL_DOCS)))

# Folders that `uninstall` takes away where nothing else is in them, inner ones first. Those of a prefix that others share stay.
SHARED_PREFIXES = / /usr /usr/local /opt $(HOME) $(HOME)/.local
INSTALL_FOLDERS = $(filter-out $(foreach p,$(SHARED_PREFIXES),$(p) $(addprefix $(p)/,bin lib share share/doc share/man)),$(SIMDIR) $(LIBDIR)/ovh \
	$(DOCDIR) $(PREFIX)/share/doc $(MANDIR)/man1 $(MANDIR)/man7 $(MANDIR) $(PREFIX)/share $(LIBDIR) $(BINDIR) $(PREFIX))

install: all man
	install -d $(sort $(dir $(addprefix $(DESTDIR),$(INSTALLED))))
	install -m 755 $(OUT)/libovh.so $(DESTDIR)$(LIBDIR)/libovh.so
	install -m 755 $(OUT)/ovh-report $(OUT)/ovh-record $(DESTDIR)$(BINDIR)
	$(foreach f,$(SIM_INSTALL),install -m 755 $(f) $(DESTDIR)$(SIMDIR)/$(notdir $(f)) &&) true
	$(foreach m,$(MAN_PAGES),install -m 644 $(m) $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m)) &&) true
	install -m 644 $(INSTALL_DOCS) $(DESTDIR)$(DOCDIR)
	$(if $(DESTDIR),,$(LDCONFIG))
uninstall:
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	@rmdir $(addprefix $(DESTDIR),$(INSTALL_FOLDERS)) 2>/dev/null || true
	$(if $(DESTDIR),,$(LDCONFIG))
# Makes LD_PRELOAD=libovh.so work by the bare name. Needs root, as PREFIX=/usr/local does; a PREFIX of one's own does without.
LDCONFIG ?= @ldconfig 2>/dev/null || echo "ldconfig did not run (no root?): name the library by its path, $(LIBDIR)/libovh.so"

compile_commands.json:
	$(MAKE) -n -B all twin $(UNIT_BIN) | scripts/compile_commands.py > $@.new
	mv $@.new $@
format:
	clang-format -i $(shell git ls-files '*.[ch]')

clean:
	rm -rf build libovh.so ovh-report ovh-record compile_commands.json

-include $(shell find build -path build/pythons -prune -o -path build/arm64-root -prune -o -type f -name '*.d' -print 2>/dev/null)
