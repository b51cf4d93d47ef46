// `winter:host/files` over a tree in memory.
const encoder = new TextEncoder();
const compare = (a, b) => {
  const [x, y] = [encoder.encode(a), encoder.encode(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
};

/** An error of `winter:host/files`, in the form in which the component takes it. */
export function filesError(tag, val) {
  return Object.assign(new Error(tag), { payload: val === undefined ? { tag } : { tag, val } });
}

/** Whether it is a single plain component. */
export const plainName = (name) => name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name);

let inodes = 0n;
const node = (kind, more) => ({ kind, inode: ++inodes, ...more });

/** A tree of files, folders and links, filled by path. */
export class MemoryTree {
  constructor() {
    this.root = node("directory", { children: new Map() });
  }

  #above(path) {
    const names = path.split("/");
    if (!names.every(plainName)) throw new TypeError(`not a relative path of plain names: ${JSON.stringify(path)}`);
    const last = names.pop();
    let at = this.root;
    for (const name of names) {
      if (!at.children.has(name)) at.children.set(name, node("directory", { children: new Map() }));
      at = at.children.get(name);
      if (at.kind !== "directory") throw new TypeError(`a folder was expected above ${JSON.stringify(path)}`);
    }
    return [at, last];
  }

  /** Adds a file; text is written in UTF-8. */
  file(path, content) {
    const [above, name] = this.#above(path);
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    above.children.set(name, node("regular", { bytes }));
    return this;
  }

  /** Adds an empty folder, unless one stands there. */
  directory(path) {
    const [above, name] = this.#above(path);
    if (!above.children.has(name)) above.children.set(name, node("directory", { children: new Map() }));
    return this;
  }

  /** Adds a symbolic link. */
  link(path, target) {
    const [above, name] = this.#above(path);
    above.children.set(name, node("link", { target }));
    return this;
  }

  /** The bytes of a file, or undefined. */
  read(path) {
    let at = this.root;
    for (const name of path.split("/")) at = at?.children?.get(name);
    return at?.bytes;
  }

  /** Every file as [path, bytes], in order. */
  *files(at = this.root, prefix = "") {
    for (const [name, child] of at.children) {
      if (child.kind === "directory") yield* this.files(child, `${prefix}${name}/`);
      else if (child.kind === "regular") yield [prefix + name, child.bytes];
    }
  }
}

/** A handle to one folder of a tree; the class that the component takes as `folder`. */
export class Folder {
  #node;
  #path;
  #parent;
  constructor(at, path, parent) {
    this.#node = at;
    this.#path = path;
    this.#parent = parent;
  }

  /** The tree's root, lent under that absolute path. */
  static of(tree, path) {
    return new Folder(tree.root, path, undefined);
  }

  #child(name) {
    if (!plainName(name)) throw filesError("bad-name");
    return this.#node.children.get(name);
  }
  path() {
    return this.#path;
  }
  stat(name) {
    const child = this.#child(name);
    return child && entry(name, child);
  }
  entries(max) {
    const names = [...this.#node.children.keys()].sort(compare);
    const entries = names.slice(0, max).map((name) => entry(name, this.#node.children.get(name)));
    return { entries, cut: names.length > max, unnamed: 0 };
  }
  openFolder(name) {
    const child = this.#child(name);
    if (!child) throw notFound(name);
    if (child.kind === "link") throw filesError("linked");
    if (child.kind !== "directory") throw filesError("not-a-folder");
    return new Folder(child, `${this.#path === "/" ? "" : this.#path}/${name}`, this);
  }
  parent() {
    return this.#parent && new Folder(this.#parent.#node, this.#parent.#path, this.#parent.#parent);
  }
  read(name, admitted, limit) {
    const child = this.#child(name);
    if (!child) throw notFound(name);
    if (child.kind === "link") throw filesError("linked");
    if (child.kind !== "regular") throw filesError("not-regular");
    if (child.inode !== admitted.inode || BigInt(child.bytes.length) !== admitted.size) throw filesError("changed");
    if (BigInt(child.bytes.length) > limit) throw filesError("too-large", BigInt(child.bytes.length));
    return child.bytes;
  }
  readLink(name) {
    const child = this.#child(name);
    if (!child) throw notFound(name);
    if (child.kind !== "link") throw filesError("io", { kind: "other", text: `${name} is no link` });
    return child.target;
  }
}

const notFound = (name) => filesError("io", { kind: "not-found", text: `${name} does not exist` });

function entry(name, { kind, inode, bytes }) {
  const size = BigInt(bytes?.length ?? 0);
  return { name, kind, identity: { device: 1n, inode, size, changedNs: 0n }, mode: kind === "directory" ? 0o755 : 0o644 };
}
