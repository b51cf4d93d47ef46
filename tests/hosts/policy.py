"""winter's policy component in Python: `pip install wasmtime`, then `python policy.py winter-policy.wasm`."""

import sys

from wasmtime import Engine, Store
from wasmtime.component import Component, Linker

engine = Engine()
store = Store(engine)
component = Component.from_file(engine, sys.argv[1])
# The component imports nothing, so the linker is empty.
instance = Linker(engine).instantiate(store, component)
escape = instance.get_export_index(store, "winter:runtime/escape@0.1.0")
rule_path = instance.get_func(store, instance.get_export_index(store, "rule-path", escape))
print(rule_path(store, "/x/[wip] app", "hex"))
