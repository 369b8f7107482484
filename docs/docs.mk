# SPDX-License-Identifier: Apache-2.0
# Man pages from docs/man/NAME.SECTION.scd.
MAN_PAGES := $(patsubst docs/man/%.scd,$(BUILD)/man/%,$(wildcard docs/man/*.scd))

man: $(MAN_PAGES)
$(BUILD)/man/%: docs/man/%.scd
	@mkdir -p $(@D)
	scdoc < $< > $@.new
	mv $@.new $@
