# SPDX-License-Identifier: Apache-2.0
# Man pages from docs/man/NAME.SECTION.scd.
MAN_PAGES := $(patsubst docs/man/%.scd,$(BUILD)/man/%,$(wildcard docs/man/*.scd))

# The line @SETTINGS@ of a page stands for the list of OVH_ variables, taken from their table.
SETTINGS_TEXT := $(BUILD)/man/settings.scd

man: $(MAN_PAGES)
$(SETTINGS_TEXT): include/ovh/settings.def
	@mkdir -p $(@D)
	sed -n 's/^SETTING(\([A-Z_]*\), "\([^"]*\)", "\(.*\)")$$/*OVH_\1*\n\t\3. Default: "\2".\n/p' $< > $@
$(BUILD)/man/%: docs/man/%.scd $(SETTINGS_TEXT)
	@mkdir -p $(@D)
	sed -e '/^@SETTINGS@$$/{r $(SETTINGS_TEXT)' -e 'd}' $< | scdoc > $@.new
	mv $@.new $@
