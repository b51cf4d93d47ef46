// `winter:host/files` over real folders. No step follows a link. Node has no `openat`: a folder swapped between its check
// and its use is told by the identity of what was opened for files, and by a second look for listings.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { filesError, plainName } from "./memory-files.js";

const KINDS = { EACCES: "permission", EPERM: "permission", ENOENT: "not-found", EBUSY: "busy", EMFILE: "exhausted", ENFILE: "exhausted", ENOMEM: "exhausted" };
function guarded(work) {
  try {
    return work();
  } catch (error) {
    if (error.payload) throw error;
    if (error.code === "ELOOP") throw filesError("linked");
    throw filesError("io", { kind: KINDS[error.code] ?? "other", text: error.message });
  }
}
const kind = (stat) => (stat.isFile() ? "regular" : stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "link" : "other");
const identity = (stat) => ({ device: stat.dev, inode: stat.ino, size: stat.size, changedNs: stat.ctimeNs });
const same = (a, b) => a.device === b.device && a.inode === b.inode && a.size === b.size && a.changedNs === b.changedNs;
const look = (path) => lstatSync(path, { bigint: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A handle to one real folder; the class that the component takes as `folder`. */
export class Folder {
  #path;
  #device;
  #inode;
  #parent;
  constructor(path, stat, parent) {
    this.#path = path;
    this.#device = stat.dev;
    this.#inode = stat.ino;
    this.#parent = parent;
  }

  /** Lends the folder that the caller named; links in the path are followed, once. */
  static of(path) {
    const real = realpathSync(path);
    const stat = look(real);
    if (!stat.isDirectory()) throw new TypeError(`${real} is no folder`);
    return new Folder(real, stat, undefined);
  }

  // Every folder from the grant down still is the one that was opened.
  #still() {
    this.#parent?.#still();
    const stat = look(this.#path);
    if (!stat.isDirectory() || stat.dev !== this.#device || stat.ino !== this.#inode) throw filesError("changed");
  }
  #of(name) {
    if (!plainName(name)) throw filesError("bad-name");
    this.#still();
    return this.#path === "/" ? `/${name}` : `${this.#path}/${name}`;
  }
  #entry(name) {
    const stat = look(this.#of(name));
    return { name, kind: kind(stat), identity: identity(stat), mode: Number(stat.mode & 0o7777n) };
  }
  path() {
    return this.#path;
  }
  stat(name) {
    return guarded(() => {
      try {
        return this.#entry(name);
      } catch (error) {
        if (error.code === "ENOENT") return undefined;
        throw error;
      }
    });
  }
  entries(max) {
    return guarded(() => {
      this.#still();
      let unnamed = 0;
      const names = readdirSync(this.#path, { encoding: "buffer" }).sort(Buffer.compare).flatMap((bytes) => {
        try {
          return [strict.decode(bytes)];
        } catch {
          unnamed++;
          return [];
        }
      });
      const entries = names.slice(0, max).map((name) => this.stat(name)).filter((entry) => entry !== undefined);
      this.#still();
      return { entries, cut: names.length > max, unnamed };
    });
  }
  openFolder(name) {
    return guarded(() => {
      const path = this.#of(name);
      const stat = look(path);
      if (stat.isSymbolicLink()) throw filesError("linked");
      if (!stat.isDirectory()) throw filesError("not-a-folder");
      return new Folder(path, stat, this);
    });
  }
  parent() {
    const above = this.#parent;
    return above && new Folder(above.#path, { dev: above.#device, ino: above.#inode }, above.#parent);
  }
  read(name, admitted, limit) {
    return guarded(() => {
      const path = this.#of(name);
      const { kind: found } = this.#entry(name);
      if (found === "link") throw filesError("linked");
      if (found !== "regular") throw filesError("not-regular");
      const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const stat = fstatSync(file, { bigint: true });
        if (!stat.isFile()) throw filesError("not-regular");
        if (!same(identity(stat), admitted)) throw filesError("changed");
        if (stat.size > limit) throw filesError("too-large", stat.size);
        const bytes = new Uint8Array(Number(stat.size));
        for (let at = 0; at < bytes.length; ) {
          const read = readSync(file, bytes, at, bytes.length - at, at);
          if (read === 0) throw filesError("changed");
          at += read;
        }
        if (!same(identity(fstatSync(file, { bigint: true })), admitted)) throw filesError("changed");
        return bytes;
      } finally {
        closeSync(file);
      }
    });
  }
  readLink(name) {
    return guarded(() => readlinkSync(this.#of(name)));
  }
}
