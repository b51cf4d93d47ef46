// winter's policy component in Node: transpile it with jco, then `node policy.mjs FOLDER`.
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const policy = await import(pathToFileURL(resolve(process.argv[2], "winter-policy.js")));
console.log(policy.escape.rulePath("/x/[wip] app", "hex"));
