// The calls in Chromium: `node differential-browser.mjs PACKAGE CALLS ANSWERS MODULES CHROMIUM`. Nothing is served: the
// browser's requests are answered from the folder.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [packed, calls, out, modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");
const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };
const own = { "/differential.mjs": join(dirname(fileURLToPath(import.meta.url)), "differential.mjs"), "/calls.json": calls };

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const page = await browser.newPage();
await page.route("**/*", async (route) => {
  const { pathname } = new URL(route.request().url());
  if (pathname === "/") return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>calls</title>" });
  const body = await readFile(own[pathname] ?? join(packed, pathname));
  await route.fulfill({ contentType: types[extname(pathname)], body });
});
await page.goto("http://localhost/");
const said = await page.evaluate(async () => {
  const { answers } = await import("/differential.mjs");
  const load = await Promise.all(["winter-policy", "winter-runtime"].map(async (name) => {
    const { instantiate } = await import(`/${name}/${name}.js`);
    const core = async (file) => WebAssembly.compile(await (await fetch(`/${name}/${file}`)).arrayBuffer());
    return (imports) => instantiate(core, imports);
  }));
  const [memory, { imports }] = [await import("/memory-files.js"), await import("/host.js")];
  const calls = await (await fetch("/calls.json")).json();
  return JSON.stringify(await answers(calls, { load, memory, imports }));
});
await writeFile(out, said);
await browser.close();
