import type { FolderHandle } from "./index.js";

/** A handle to one real folder; no step follows a link. */
export declare class Folder implements FolderHandle {
  private constructor();
  /** Lends the folder that the caller named. */
  static of(path: string): Folder;
  path(): string;
  stat: FolderHandle["stat"];
  entries: FolderHandle["entries"];
  openFolder(name: string): Folder;
  parent(): Folder | undefined;
  read: FolderHandle["read"];
  readLink: FolderHandle["readLink"];
}
