import { readFile } from "node:fs/promises";
import { imports } from "./host.js";
import { instantiate as policy } from "./winter-policy/winter-policy.js";
import { instantiate as runtime } from "./winter-runtime/winter-runtime.js";

const core = (folder) => async (name) => WebAssembly.compile(await readFile(new URL(`./${folder}/${name}`, import.meta.url)));

/** The decisions that need nothing of a host. */
export const loadPolicy = () => policy(core("winter-policy"), {});
/** Those and the run home, over the files of that `Folder` class. */
export const loadRuntime = (Folder, local) => runtime(core("winter-runtime"), imports(Folder, local));
export { input, places } from "./host.js";
