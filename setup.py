"""Maps each room at the top of the repository to puzzlemill.<room>."""

from setuptools import find_packages, setup

ROOMS = (
    "core",
    "generators",
    "filters",
    "difficulty",
    "outputs",
    "trainer",
    "pipelines",
    "flows",
    "serving",
)

packages = ["puzzlemill", "puzzlemill.commands"]
package_dir = {"puzzlemill": "puzzlemill"}
for room in ROOMS:
    package_dir[f"puzzlemill.{room}"] = room
    packages += [f"puzzlemill.{room}"]
    packages += [f"puzzlemill.{room}.{inner}" for inner in find_packages(room)]

for data in ("recipes", "recipes/papers"):  # no Python: found by name, installed or not
    name = f"puzzlemill.{data.replace('/', '.')}"
    package_dir[name] = data
    packages.append(name)

setup(
    packages=packages,
    package_dir=package_dir,
    package_data={
        "": [
            "py.typed",
            "*.safetensors",
            "*.json",
            "*.jinja",
            "*.css",
            "*.js",
            "*.txt",
            "*.pyi",
            "*.toml",
            "*.yaml",
            "*.jsonl",
        ]
    },
)
