"""The packages of the wheel and their folders; pyproject.toml contains everything else.

The checkout has core, gui, resources and main.py at its top level. In a wheel they are inside the
package `bubblescope`, because top-level packages called `core` and `gui` could clash with others.
"""

from shutil import rmtree

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

APP = "bubblescope._app"
INSIDE = {
    f"{APP}.{name}": name.replace(".", "/") for name in find_packages(include=["core*", "gui*"])
}


class BuildWithoutThisFile(build_py):
    """Leaves setup.py out: the top folder has two modules, and only main.py is the app's."""

    def run(self) -> None:
        """Build into an empty folder, so that the wheel has no modules that have been deleted."""
        rmtree(self.build_lib, ignore_errors=True)
        super().run()

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Return the modules of a package, as (package, module, file)."""
        found = super().find_package_modules(package, package_dir)
        return [entry for entry in found if entry[:2] != (APP, "setup")]


FOLDERS = {
    "bubblescope": "bubblescope",
    "bubblescope.api": "bubblescope/api",
    "bubblescope.cli": "bubblescope/cli",
    "bubblescope.integrations": "bubblescope/integrations",
    APP: ".",
    f"{APP}.resources": "resources",
    **INSIDE,
}

setup(
    packages=list(FOLDERS),
    package_dir=FOLDERS,
    package_data={
        f"{APP}.resources": [
            "*.json",
            "*.qss",
            "icons/*.svg",
            "icons/panels/*",
            "presets/*",
            "lessons/*.md",
            "lessons/*/*.md",
            "puzzles/*.md",
            "puzzles/*/*.md",
            "recordings/*",
            "report/*",
            "translations/*/LC_MESSAGES/*.mo",
            "translations/*.json",
        ],
    },
    cmdclass={"build_py": BuildWithoutThisFile},
)
