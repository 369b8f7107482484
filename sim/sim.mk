# SPDX-License-Identifier: Apache-2.0
# The simulated CUDA libraries (docs/simulated-device.md): `make sim` builds them into $(SIM_DIR), `make install` puts SIM_INSTALL into
# $(LIBDIR)/ovh/sim. Each stand-in is built from the hook tables plus the bodies in its folder; cudart, cublas and cublasLt once per
# CUDA version, from the same sources with SIM_CUDA set.
SIM_DIR := $(BUILD)/sim
SIM_LIBS := libovhsim.so.1 libcuda.so.1 $(foreach v,12 13,libcudart.so.$(v) libcublas.so.$(v) libcublasLt.so.$(v))
SIM_INSTALL := $(addprefix $(SIM_DIR)/,$(SIM_LIBS))

# The enums of a status are many and have the same numbers.
SIM_CFLAGS := $(BASE) $(CFLAGS) -fPIC -fvisibility=hidden -Wno-enum-conversion -ftls-model=initial-exec
# -Bsymbolic: a library's calls of its own functions are its own affair and must not run into libovh's wrappers.
SIM_LDFLAGS = -shared -Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,-Bsymbolic -Wl,-soname,$(notdir $@) -Wl,-rpath,'$$ORIGIN'

SIM_DEVICE_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard sim/device/*.c))
SIM_CUDA_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard sim/cuda/*.c))
sim_objects = $(patsubst sim/%.c,$(BUILD)/sim$(2)/%.o,$(wildcard sim/$(1)/*.c) sim/driver_pointers.c)

sim: $(SIM_INSTALL)

$(SIM_DIR)/libovhsim.so.1: $(SIM_DEVICE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SIM_LDFLAGS) -o $@ $^ -lpthread
$(SIM_DIR)/libcuda.so.1: $(SIM_CUDA_OBJ) $(SIM_DIR)/libovhsim.so.1
	$(CC) $(CFLAGS) $(SIM_LDFLAGS) -o $@ $^

# $(1): CUDA version, $(2): library, $(3): folder, $(4): what it is linked with
define SIM_RUNTIME_LIBRARY
$(SIM_DIR)/$(2).so.$(1): $(call sim_objects,$(3),$(1)) $(4) $(SIM_DIR)/libovhsim.so.1
	@echo '$(2).so.$(1) { global: *; };' > $(BUILD)/sim$(1)/$(3).map
	$$(CC) $$(CFLAGS) $$(SIM_LDFLAGS) -Wl,--version-script,$(BUILD)/sim$(1)/$(3).map -o $$@ $$^ -ldl
endef
define SIM_CUDA_VERSION
$(BUILD)/sim$(1)/%.o: sim/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(SIM_CFLAGS) -DSIM_CUDA=$(1) -c -o $$@ $$<
$(call SIM_RUNTIME_LIBRARY,$(1),libcudart,cudart)
$(call SIM_RUNTIME_LIBRARY,$(1),libcublasLt,cublaslt)
$(call SIM_RUNTIME_LIBRARY,$(1),libcublas,cublas,$(SIM_DIR)/libcublasLt.so.$(1))
endef
$(foreach v,12 13,$(eval $(call SIM_CUDA_VERSION,$(v))))

# The maker of stand-ins is part of ovh-record.
SIM_STANDIN_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard sim/standin/*.c))
$(OUT)/ovh-record: $(SIM_STANDIN_OBJ)
$(BUILD)/sim/standin/%.o: sim/standin/%.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -c -o $@ $<

$(BUILD)/sim/%.o: sim/%.c
	@mkdir -p $(@D)
	$(CC) $(SIM_CFLAGS) -c -o $@ $<
