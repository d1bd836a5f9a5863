# Front door. `make demo` and `make test` work on a fresh Debian 12 or 13: they install what is missing, build and run.
BUILD := build
JOBS  := $(shell nproc)
# ON in CI (make test WERROR=ON): a warning of our own code is an error. Users have other compilers, which warn of other things.
WERROR := OFF
# Two tests at a time share the cores: a thread that spins for another one would take the time that the other needs.
CTEST := OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1 ctest --output-on-failure

.PHONY: all setup build demo test test-slow test-torch2 test-debian torture bench package format lint asan tsan clean

all: build

# Configured again where a build folder has other settings than these.
ifeq ($(WERROR),ON)
.PHONY: $(BUILD)/build.ninja
endif

setup:
	@scripts/setup

$(BUILD)/build.ninja: CMakePresets.json | setup
	@cmake --preset release -DCVF_WERROR=$(WERROR)

build: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

# The demonstration needs the program only, not the tests.
demo: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target cvf
	@$(BUILD)/cvf demo

test: build
	@scripts/setup gfortran || echo "without gfortran the test of the installed Fortran module leaves Fortran out"
	@cd $(BUILD) && $(CTEST) -LE slow -j $(JOBS)

test-slow: build lint
	@cd $(BUILD) && $(CTEST) -L slow

# The same tests with LibTorch 2, in a build folder of its own. TORCH2 is the folder `torch` of an installed wheel, or empty where the
# system's LibTorch is a 2 (Debian 13).
test-torch2: | setup
	@if [ -z "$(TORCH2)" ] && ! ls /usr/share/cmake/Torch/TorchConfigVersion.cmake /usr/lib/*/cmake/Torch/TorchConfigVersion.cmake \
	    2>/dev/null | xargs -r grep -q 'PACKAGE_VERSION "2'; then \
	  echo "LibTorch here is not a 2; get one and say where it is:"; \
	  echo "  python3 -m venv out/torch2 && out/torch2/bin/pip install torch"; \
	  echo '  make test-torch2 TORCH2=$$(echo $(CURDIR)/out/torch2/lib/python3*/site-packages/torch)'; exit 1; fi
	@cmake --preset torch2 $(if $(TORCH2),-DCVF_TORCH_WHEEL=$(TORCH2)) && cmake --build build-torch2 -j $(JOBS)
	@cd build-torch2 && $(CTEST) -LE slow -j $(JOBS)

# The commands of the README in an empty Debian system (RELEASE=trixie or bookworm), an hour or two.
test-debian:
	@scripts/test-debian "$(RELEASE)"

# Thousands of faults, kills, damaged files and races, some twenty minutes. TORTURE="--seed 7" gives other ones,
# TORTURE="--only train-kill --from 20" goes on with one kind.
torture: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target cvf_torture
	@$(BUILD)/cvf_torture $(TORTURE)

asan: | setup
	@cmake --preset asan && cmake --build build-asan -j $(JOBS)
	@cd build-asan && $(CTEST) -LE slow -j $(JOBS)

# build/cvf_VERSION_ARCHITECTURE.deb: program, libraries, headers, Python package. docs/install.md
package: $(BUILD)/build.ninja
	@scripts/setup dpkg-dev file
	@cmake --build $(BUILD) -j $(JOBS) --target cvf cvf_shared cvf_static
	@cd $(BUILD) && cpack -G DEB && ls -l $(CURDIR)/$(BUILD)/*.deb

# libcvf under the thread sanitizer: eight threads with one model. MODELS are folders of runs or models.
MODELS := tests/run/old_model
tsan: | setup
	@cmake -S . -B build-tsan -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCVF_WITH_PROGRAM=OFF -DCVF_SANITIZE=thread > /dev/null
	@cmake --build build-tsan -j $(JOBS) --target cvf_shared
	@g++ -std=c++20 -g -O1 -fsanitize=thread -Iinclude tests/runtime/tsan/eight_threads.cpp -Lbuild-tsan -lcvf \
	  -Wl,-rpath,$(CURDIR)/build-tsan -o build-tsan/eight_threads
	@setarch -R build-tsan/eight_threads $(MODELS)

bench: build
	@$(BUILD)/cvf_bench

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

# clang-tidy. ROOM=kernels: one room; BASE=HEAD~5: what has changed since that commit; MINUTES=15: a limit.
lint: | setup
	@ROOM="$(ROOM)" BASE="$(BASE)" MINUTES="$(MINUTES)" scripts/lint

clean:
	@rm -rf build build-*
