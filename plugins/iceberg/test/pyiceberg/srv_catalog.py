"""A plugin of pytest that runs PyIceberg's own tests against branches.

SRV_CATALOG is the address of a server, the id of an access key and its secret, as JSON.
The last line that is printed has the outcome of each test.
"""

import itertools
import json
import os
import urllib.request
from base64 import b64encode

from pyiceberg.catalog import Catalog, load_catalog

URL, KEY, SECRET = json.loads(os.environ["SRV_CATALOG"])
numbers = itertools.count()
outcomes: dict[str, str] = {}


def new_branch() -> str:
    """Without tables: the first commit of the repository."""
    name = f"t{next(numbers)}"
    request = urllib.request.Request(
        f"{URL}/api/v1/repositories/lake/branches",
        data=json.dumps({"name": name, "source": "main"}).encode(),
        headers={"content-type": "application/json", "authorization": "Basic " + b64encode(f"{KEY}:{SECRET}".encode()).decode()},
    )
    urllib.request.urlopen(request).close()
    return name


def open_catalog(name: str, *_: object, **properties: str) -> Catalog:
    """In place of one that a test expects to run on its machine: a branch."""
    if properties.get("type") == "in-memory":
        return load_catalog(name, **properties)
    if str(properties.get("uri")).startswith(URL):
        return load_catalog(name, **properties)
    catalog = load_catalog(
        name,
        **{
            "type": "rest",
            "uri": f"{URL}/iceberg/relative_to/lake.{new_branch()}/api",
            "oauth2-server-uri": f"{URL}/iceberg/api/v1/oauth/tokens",
            "credential": f"{KEY}:{SECRET}",
            "supports_slash_in_identifier": "true",
        },
    )
    if name == "local":
        catalog.create_namespace("default")
    return catalog


def pytest_collection_modifyitems(config, items):
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "_CATALOG_FACTORIES"):
            plugin._CATALOG_FACTORIES["memory"] = open_catalog
            plugin.load_catalog = open_catalog
    for module in {item.module for item in items}:
        for name in ("load_catalog", "RestCatalog"):
            if hasattr(module, name):
                setattr(module, name, open_catalog)
    kept = [item for item in items if is_ours(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def is_ours(item) -> bool:
    """Not those that need Spark, and of those that are repeated for each kind of catalog those of one kind."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    # Its catalog is its own, and DuckDB fetches an extension in it.
    if item.name == "test_duckdb_url_import":
        return False
    if "spark" in item.fixturenames or "session_catalog_hive" in item.fixturenames:
        return False
    for name in ("test_catalog", "catalog", "catalog_with_warehouse"):
        if name in parameters:
            kind = parameters[name]
            return kind == "memory" or getattr(kind, "name", None) in ("rest_catalog", "session_catalog")
    return any(name in item.fixturenames for name in ("rest_catalog", "session_catalog", "catalog"))


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid] = report.outcome


def pytest_unconfigure():
    print("\n" + json.dumps(outcomes))
