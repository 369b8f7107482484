# ovh: build, test, install. No configure step; `make help` says what there is.
#
#   make                        libovh.so, ovh-report, ovh-record, the simulated CUDA libraries
#   make DEVELOPER=1            warnings are errors
#   make SANITIZE=address,undefined | SANITIZE=thread      (the tools and their tests; the library where it can be)
#   make CROSS=aarch64-linux-gnu-                          everything for aarch64, into build/aarch64

CROSS ?=
CC := $(CROSS)gcc
AR := $(CROSS)ar
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
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
endif

.DEFAULT_GOAL := all
.PHONY: all help clean install uninstall deps test check check-tables bench demo twin sim fuzz format compile_commands.json golden

# ---- libovh.so: a guest in somebody else's process. libc only, symbol versions of old glibc, nothing visible but the tables' names.
# No FORTIFY or stack protector: they would bring newer symbols and run inside the host; -fexceptions lets C++ exceptions pass.
GUEST_CFLAGS := $(BASE) $(CFLAGS) -fPIC -fvisibility=hidden -fno-semantic-interposition -fexceptions -fno-stack-protector \
	-U_FORTIFY_SOURCE -fno-plt -ftls-model=initial-exec
GUEST_LDFLAGS := -shared -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,-z,defs -Wl,--no-undefined -Wl,-soname,libovh.so
GUEST_SRC := $(wildcard preload/*/*.c preload/*/*.S preload/*.c)
GUEST_OBJ := $(patsubst %,$(BUILD)/%.o,$(basename $(GUEST_SRC)))
TWIN_OBJ := $(patsubst %,$(BUILD)/twin/%.o,$(basename $(GUEST_SRC)))

# ---- ovh-report, ovh-record
REPORT_SRC := $(wildcard analyzer/*.c analyzer/*/*.c)
REPORT_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(REPORT_SRC))
REPORT_LIB_OBJ := $(filter-out $(BUILD)/analyzer/main.o,$(REPORT_OBJ))
REPORT_LIBS := -lsmartcols -ljansson -lm
RECORD_SRC := $(wildcard record/*.c)
RECORD_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(RECORD_SRC))
RECORD_LIBS := -ldl
TOOL_CFLAGS := $(BASE) $(CFLAGS) $(SAN) -DOVH_LIBDIR='"$(LIBDIR)"' -DOVH_BINDIR='"$(BINDIR)"'

all: $(OUT)/libovh.so $(OUT)/ovh-report $(OUT)/ovh-record sim

$(OUT)/libovh.so: $(GUEST_OBJ) preload/exports.map
	$(CC) $(CFLAGS) $(GUEST_LDFLAGS) -Wl,--version-script,preload/exports.map -o $@ $(GUEST_OBJ) -ldl -lpthread
$(BUILD)/libovh-twin.so: $(TWIN_OBJ) preload/exports.map
	$(CC) $(CFLAGS) $(GUEST_LDFLAGS) -Wl,--version-script,preload/exports.map -o $@ $(TWIN_OBJ) -ldl -lpthread
twin: $(BUILD)/libovh-twin.so
$(OUT)/ovh-report: $(REPORT_OBJ)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ $(REPORT_LIBS)
$(OUT)/ovh-record: $(RECORD_OBJ)
	$(CC) $(CFLAGS) $(SAN) -o $@ $^ $(RECORD_LIBS)

$(BUILD)/preload/%.o: preload/%.c
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) -c -o $@ $<
$(BUILD)/preload/%.o: preload/%.S
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) -c -o $@ $<
$(BUILD)/twin/preload/%.o: preload/%.c
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) -DOVH_TWIN -c -o $@ $<
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

clean:
	rm -rf build libovh.so ovh-report ovh-record

-include $(shell find build -name '*.d' 2>/dev/null)
