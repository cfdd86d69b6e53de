"""Validates results: validate.py SCHEMAS FILE...

Each file is held against the schema that its own field `schema` names. Prints what is wrong, one line for each
fault, and how many files were validated; ends with 1 if anything is wrong.
"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator


def validator(schemas, name):
    path = schemas / (name.removeprefix("provoke/").replace("/", "-") + ".json")
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def main(schemas, *files):
    faults = []
    for file in files:
        result = json.loads(pathlib.Path(file).read_text())
        for error in validator(pathlib.Path(schemas), result["schema"]).iter_errors(result):
            faults.append(f"{file}: {error.json_path}: {error.message}")
    print(*faults, f"{len(files)} validated", sep="\n")
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
