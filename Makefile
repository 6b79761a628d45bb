# `make run` and `make test` set everything up first; a second call finds it done.
#   ARGS=...         arguments for main.py (run), pytest (test, device, bench, stress) or tests/fuzz/drive.py
#   RUNS=...         how many runs, or kills, of each stress test (50), files or command lines of each
#                    fuzzer (3,000), or profiles for verdicts (2,000)
#   TORCH_INDEX=url  the wheel index that torch comes from; remembered until another one is given
#   PYTHON=...       the Python (3.11 or newer) that .venv is made with

python = .venv/bin/python

.PHONY: setup run test device fuzz fuzz-files fuzz-commands lint ruff format mypy walls bench stress verdicts pictures animations thumbnails docs messages messages-extract messages-update messages-compile

setup:
	@sh resources/setup.sh

run: setup
	@$(python) main.py $(ARGS)

# Two at a time: many tests wait for processes to start. Each worker begins with one half of the tests
# and takes from the other's when it has ended, so that the tests of a module, which share what its
# fixtures make, run on one. Compiled first: hundreds of processes import the sources.
test: setup
	@$(python) -m compileall -q bubblescope core gui main.py
	@$(python) -m pytest -n 2 --dist worksteal $(ARGS)

# The tests of accelerators on the test device, a simulated accelerator that runs asynchronously. It
# is compiled when its sources have changed, which needs a C++ compiler. Only the files with such
# tests are given to pytest: to collect all files takes longer than these tests.
device: setup
	@$(python) -m tests.device $(python) -m pytest -m accelerator \
		$$(grep -rl --include='test_*.py' 'mark\.accelerator' tests) $(ARGS)

# RUNS=3000 made or damaged files for each reader, then as many command lines; a second call goes on
# where the first stopped.
#   ARGS="chrome costs --seed 7"   some readers, other files
#   SEED=7                         other command lines
fuzz: fuzz-files fuzz-commands

fuzz-files: setup
	@$(python) -m tests.fuzz.drive --count $(or $(RUNS),3000) $(ARGS)

fuzz-commands: setup
	@$(python) -m tests.fuzz.commands.drive --runs $(or $(RUNS),3000) --seed $(or $(SEED),0)

# Separate targets, so that `make -k lint` shows all that is wrong.
lint: ruff format mypy walls

ruff: setup
	$(python) -m ruff check .

format: setup
	$(python) -m ruff format --check .

mypy: setup
	$(python) -m mypy

walls: setup
	$(python) tests/walls.py

bench: setup
	$(python) -m pytest -s -o python_files='bench_*.py' -o timeout=0 -o faulthandler_timeout=0 $(ARGS)

# Many runs while other processes take the cores, and kills at random moments.
stress: setup
	$(python) -m pytest tests/stress --stress-runs $(or $(RUNS),50) -o timeout=0 \
		-o faulthandler_timeout=0 $(ARGS)

# Verdicts on made-up profiles against shares that are computed apart; RUNS=... for more than 2,000.
verdicts: setup
	VERDICT_TRACES=$(or $(RUNS),2000) $(python) -m pytest -n 2 -o timeout=0 \
		-o faulthandler_timeout=0 tests/core/report/test_device_verdict.py $(ARGS)

# The window's pictures in resources/screenshots, which a test compares with.
pictures: setup
	$(python) -m tests.gui.pictures resources/screenshots

# The animations of README and docs, of runs on virtual lanes: a schedule against another, and dp.
# A backward pass in two parts takes longer than a whole one. With blocks of width 512 that costs about
# as much as ZB-H1 saves, so the blocks of the race are wider.
shown = --model mlp --depth 8 --batch 512 --steps 3
animations: setup
	@mkdir -p build
	$(python) main.py run --strategy pipeline --schedule 1f1b --devices 4xvirtual --microbatches 8 \
		$(shown) --width 1024 --record build/1f1b.arrow
	$(python) main.py run --strategy pipeline --schedule zb-h1 --devices 4xvirtual --microbatches 8 \
		$(shown) --width 1024 --record build/zb-h1.arrow
	$(python) main.py run --strategy dp --devices 8xvirtual $(shown) --width 512 \
		--record build/dp.arrow
	$(python) main.py export build/1f1b.arrow --with build/zb-h1.arrow \
		--animation resources/screenshots/1f1b-zb-h1.gif
	$(python) main.py export build/dp.arrow --animation resources/screenshots/dp.gif

# The first page's, of samples and lessons; lessons are run for it.
thumbnails: setup
	$(python) -m tests.thumbnails

# The window's texts: extracted from the sources into build/messages.pot, brought into the catalogue
# of each language (resources/translations/LOCALE/LC_MESSAGES/bubblescope.po), and compiled into the
# .mo files that the window reads. After translating, `make messages-compile` is enough.
babel = $(python) -m babel.messages.frontend --quiet
catalogues = -D bubblescope -d resources/translations

messages: messages-extract messages-update messages-compile

messages-extract: setup
	@mkdir -p build
	$(babel) extract --mapping pyproject.toml --no-location --sort-output \
		--output build/messages.pot .

messages-update: messages-extract
	$(babel) update $(catalogues) --input-file build/messages.pot --ignore-obsolete \
		--ignore-pot-creation-date --no-wrap

messages-compile: setup
	$(babel) compile $(catalogues)

# The pages of docs/ as a site in build/docs; a page that does not hold together is an error.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(python) -m mkdocs build --strict --quiet
