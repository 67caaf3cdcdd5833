#!/usr/bin/env python3
"""check_schema.py DIRECTORY: prints each difference of DIRECTORY/meta.json and
data.json from ClusterCockpit's schemas, one a line. Exits with 77 without
python3-jsonschema."""

import json
import os
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

HERE = os.path.dirname(os.path.realpath(__file__))


def load(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def main():
    schemas = [load(os.path.join(HERE, name)) for name in os.listdir(HERE)
               if name.endswith('.schema.json')]
    store = {schema['$id']: schema for schema in schemas}
    for kind in 'meta', 'data':
        schema = store[f'embedfs://job-{kind}.schema.json']
        resolver = jsonschema.RefResolver(schema['$id'], schema, store=store)
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
        document = load(os.path.join(sys.argv[1], kind + '.json'))
        for error in sorted(validator.iter_errors(document), key=str):
            path = '/'.join(str(part) for part in error.path)
            print(f'{kind} {path}: {error.message}')


main()
