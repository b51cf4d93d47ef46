// Drives the component with the calls of `tests/differential`, in Node and in a browser: the same module in both.

const camel = (name) => name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** An argument: JSON with marks for what JSON has no word for. */
function argument(value, folder) {
  if (value === null) return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => argument(item, folder));
  if ("$u64" in value) return BigInt(value.$u64);
  if ("$bytes" in value) return typeof value.$bytes === "string" ? encoder.encode(value.$bytes) : Uint8Array.from(value.$bytes);
  if ("$folder" in value) return folder(value.$folder);
  if ("$case" in value) return { tag: value.$case, val: argument(value.value ?? null, folder) };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [camel(key), argument(item, folder)]));
}

/** An answer as canonical JSON: names as in the contract, sorted, without what is absent. */
function canonical(value) {
  if (value === undefined || value === null) return "null";
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object") return JSON.stringify(value);
  if (value instanceof Uint8Array) {
    try {
      return JSON.stringify(strict.decode(value));
    } catch {
      return `[${[...value].join(",")}]`;
    }
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value);
  if (typeof value.tag === "string" && keys.every((key) => key === "tag" || key === "val")) {
    return value.val === undefined ? JSON.stringify(value.tag) : `{${JSON.stringify(value.tag)}:${canonical(value.val)}}`;
  }
  const members = keys.filter((key) => value[key] !== undefined).map((key) => [kebab(key), canonical(value[key])]);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}

// The number that `winter_policy::memory` gives a path, so that every host sees the same files.
function inode(path) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of encoder.encode(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

function planted(files, { MemoryTree, Folder }) {
  const tree = new MemoryTree();
  for (const [path, node] of Object.entries(files)) {
    const name = path.slice(1);
    if (typeof node === "string") tree.file(name, node);
    else if (node.folder) tree.directory(name);
    else if (node.link !== undefined) tree.link(name, node.link);
    else tree.file(name, Uint8Array.from(node.bytes));
  }
  const number = (node, path) => {
    node.inode = inode(path);
    for (const [name, child] of node.children ?? []) number(child, `${path === "/" ? "" : path}/${name}`);
  };
  number(tree.root, "/");
  return (path) => {
    let at = tree.root;
    for (const name of path.split("/").filter(Boolean)) at = at.children.get(name);
    return new Folder(at, path, undefined);
  };
}

/**
 * Every call's answers: that of each component that exports the function. `load` gives `[policy, runtime]` as functions that
 * take imports and give a fresh instance.
 */
export async function answers({ trees, calls }, { load, memory, imports }) {
  const said = [];
  let host = {};
  const lent = (local) => ({
    ...imports(memory.Folder, local),
    "winter:host/clock": { now: () => 1700000000000n },
    "winter:host/process": {
      spawn: ({ program }) => {
        if (program === "granted") return 7n;
        throw Object.assign(new Error(program), { payload: { tag: "not-granted", val: program } });
      },
    },
  });
  const [policy, runtime] = load;
  host = { mine: await runtime(lent("mine")), shipped: await runtime(lent("shipped")), policy: await policy({}) };
  for (const call of calls) {
    const [area, name] = call.function.split(".").map(camel);
    const own = [];
    for (const component of [call.local ?? "shipped", "policy"]) {
      if (host[component][area] === undefined) continue;
      const folder = call.tree === undefined ? undefined : planted(trees[call.tree], memory);
      const given = call.arguments.map((value) => argument(value, folder));
      try {
        own.push(`{"ok":${canonical(host[component][area][name](...given))}}`);
      } catch (error) {
        own.push(error.payload === undefined ? `{"trap":${JSON.stringify(String(error))}}` : `{"err":${canonical(error.payload)}}`);
      }
    }
    said.push(own);
  }
  return said;
}
