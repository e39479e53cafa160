# make demo   exports the sample forest and prints the path of the .glb
# make test   the whole suite; a tier alone: make test-core, test-blender-53, test-blender-52, test-device-53, test-device-52,
#             test-packaging, test-clients, test-app (inside the real application), test-window (in its window); ARGS="-k name" goes to pytest
# make bench  the figures in the README
# make setup  what the others need first, done by themselves; leaves .venv/bin/gpuscene
# On Windows and macOS without make: uv run gpuscene demo; uv run pytest

.DEFAULT_GOAL := setup
.PHONY: setup setup-test demo test bench clean

LOCK := pyproject.toml uv.lock .ci/setup $(wildcard tests/clients/package-lock.json)
REPORTS := build/tests
# Tiers by folder. What is in none of these needs Blender's Python module and runs in both versions of it.
PURE := $(wildcard tests/core tests/glsl)
APART := $(PURE) $(wildcard tests/device tests/packaging tests/clients tests/gui tests/window)
# The packages are the same in both versions; that the extension registers is tested in both.
ONCE := tests/packaging/test_wheel.py tests/packaging/test_extension_zip.py
TIERS := test-core test-blender-53 test-blender-52 test-device-53 test-device-52 test-packaging test-clients test-app test-window
.PHONY: $(TIERS)

pytest = $(1)/bin/python -m pytest -q --junitxml=$(REPORTS)/$@.xml $(2) $(ARGS)
# pytest ends with 5 when a tier holds no test yet.
optional = $(if $(wildcard $(2)),$(call pytest,$(1),$(2)),@echo "$@: no tests")

setup: .venv/.made-for-demo
setup-test: .venv/.made-for-test

.venv/.made-for-demo: $(LOCK)
	@.ci/setup demo
	@touch $@

.venv/.made-for-test: $(LOCK)
	@.ci/setup test
	@touch $@ .venv/.made-for-demo

demo: setup
	@.venv/bin/gpuscene demo

# Every tier runs, also after one has failed; Blender can end the process, so each has its own.
test: setup-test
	@rm -rf $(REPORTS)
	@$(MAKE) --keep-going --no-print-directory $(TIERS)

$(TIERS): setup-test

test-core:
	$(call optional,.venv,$(PURE))

test-blender-53:
	$(call pytest,.venv,tests $(addprefix --ignore=,$(APART)))

test-blender-52:
	$(call pytest,.venv-52,tests $(addprefix --ignore=,$(filter-out tests/packaging,$(APART)) $(ONCE)))

# A process of their own: a background render that draws grease pencil leaves Blender's module without a GPU context.
test-device-53:
	$(call pytest,.venv,tests/device)

test-device-52:
	$(call pytest,.venv-52,tests/device)

test-packaging:
	$(call optional,.venv,tests/packaging)

test-clients:
	$(call optional,.venv,tests/clients)

test-app:
	.venv-app/bin/python tests/gui/run.py --junitxml=$(REPORTS)/$@.xml $(ARGS)

test-window:
	$(call optional,.venv,tests/window)

bench: setup-test
	@.venv/bin/gpuscene bench export --instances 1000000 --peers
	@.venv/bin/gpuscene bench tree --instances 1000000
	@.venv/bin/gpuscene bench cull --instances 1000000
	@.venv/bin/gpuscene bench update --instances 1000000
	@.venv/bin/gpuscene bench viewport --instances 1000000

clean:
	rm -rf .venv .venv-52 .venv-app .venv-uv build dist tests/clients/node_modules *.egg-info .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
