"""Croissant: the dataset described for machines, as JSON-LD in a file croissant.json.

The Hub makes one of its own for what it hosts; this one goes wherever the folder goes.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_KINDS = {"string": "sc:Text", "int32": "sc:Integer", "int64": "sc:Integer", "float64": "sc:Float"}


def croissant(
    name: str,
    description: str,
    licence: str,
    version: str,
    date: str,
    files: Mapping[str, Mapping[str, str]],
    columns: Sequence[tuple[str, str]],
) -> str:
    """`files`: the pattern of their names by config and split. `columns`: of plain values, and
    their types."""
    sets, records = [], []
    for config, splits in files.items():
        for split, pattern in splits.items():
            each = f"{config}-{split}"
            sets.append(
                {
                    "@type": "cr:FileSet",
                    "@id": each,
                    "encodingFormat": "application/x-parquet",
                    "includes": pattern,
                }
            )
            records.append(
                {
                    "@type": "cr:RecordSet",
                    "@id": f"{each}-items",
                    "key": {"@id": f"{each}-items/uid"},
                    "field": [_field(each, column, kind) for column, kind in columns],
                }
            )
    metadata = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": name,
        "description": description,
        "license": licence,
        "version": version,
        "datePublished": date,
        "distribution": sets,
        "recordSet": records,
    }
    return json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"


def _field(files: str, column: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{files}-items/{column}",
        "name": column,
        "dataType": _KINDS[kind],
        "source": {"fileSet": {"@id": files}, "extract": {"column": column}},
    }
