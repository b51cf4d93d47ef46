import type { FolderHandle } from "./index.js";

/** A tree of files, folders and links, filled by path. */
export declare class MemoryTree {
  /** Adds a file; text is written in UTF-8. */
  file(path: string, content: string | Uint8Array): this;
  /** Adds an empty folder, unless one stands there. */
  directory(path: string): this;
  /** Adds a symbolic link. */
  link(path: string, target: string): this;
  /** The bytes of a file, if there is one. */
  read(path: string): Uint8Array | undefined;
  /** Every file with its path. */
  files(): Iterable<[path: string, bytes: Uint8Array]>;
}

/** A handle to one folder of a tree. */
export declare class Folder implements FolderHandle {
  private constructor();
  /** The tree's root, lent under that absolute path. */
  static of(tree: MemoryTree, path: string): Folder;
  path(): string;
  stat: FolderHandle["stat"];
  entries: FolderHandle["entries"];
  openFolder(name: string): Folder;
  parent(): Folder | undefined;
  read: FolderHandle["read"];
  readLink: FolderHandle["readLink"];
}
