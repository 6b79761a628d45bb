"""Where the wheel's packages come from; all else stands in pyproject.toml.

The checkout has core, gui, resources and main.py at its top. In a wheel they lie inside the package
`bubblescope`, because names as general as `core` and `gui` belong to whoever installs it.
"""

from shutil import rmtree

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

APP = "bubblescope._app"
INSIDE = {
    f"{APP}.{name}": name.replace(".", "/") for name in find_packages(include=["core*", "gui*"])
}


class BuildWithoutThisFile(build_py):
    """The top folder holds two modules, and only main.py is the app's."""

    def run(self) -> None:
        """Build into an empty folder: a module that is gone by now would be in the wheel again."""
        rmtree(self.build_lib, ignore_errors=True)
        super().run()

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Every module of a package, as (package, module, file)."""
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
