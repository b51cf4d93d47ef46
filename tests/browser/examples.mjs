// Writes the examples of a README as `example-N.ts` and `.mjs`: `node examples.mjs README FOLDER`; prints how many.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [readme, folder] = process.argv.slice(2);
const examples = [...readFileSync(readme, "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
examples.forEach((code, at) => {
  for (const end of ["ts", "mjs"]) writeFileSync(join(folder, `example-${at + 1}.${end}`), code);
});
console.log(examples.length);
