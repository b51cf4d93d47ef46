// The calls in Node: `node differential-node.mjs PACKAGE CALLS ANSWERS`.
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { answers } from "./differential.mjs";

const [packed, calls, out] = process.argv.slice(2);
const module = (name) => import(pathToFileURL(resolve(packed, name)));
const load = await Promise.all(["winter-policy", "winter-runtime"].map(async (name) => {
  const { instantiate } = await module(`${name}/${name}.js`);
  const core = async (file) => WebAssembly.compile(await readFile(join(packed, name, file)));
  return (imports) => instantiate(core, imports);
}));
const [memory, { imports }] = [await module("memory-files.js"), await module("host.js")];
await writeFile(out, JSON.stringify(await answers(JSON.parse(await readFile(calls, "utf8")), { load, memory, imports })));
