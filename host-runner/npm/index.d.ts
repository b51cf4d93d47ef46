import type { Entry, Folder as WitFolder, Identity, Listing } from "./winter-runtime/interfaces/winter-host-files.js";
import type { Bounds, Input, Places, Plan } from "./winter-runtime/interfaces/winter-runtime-run-home.js";
import type { Root as Policy } from "./winter-policy/winter-policy.js";
import type { Root as Runtime } from "./winter-runtime/winter-runtime.js";

export type { Bounds, Entry, Identity, Input, Listing, Places, Plan, Policy, Runtime };

/** What a host lends as a folder; the names and errors are those of `winter:host/files`. */
export interface FolderHandle {
  /** The absolute path, for reports. */
  path(): string;
  /** The entry of that name, if there is one. */
  stat(name: string): Entry | undefined;
  /** At most `max` entries, in byte order of their names. */
  entries(max: number): Listing;
  /** The folder of that name; a link is refused. */
  openFolder(name: string): FolderHandle;
  /** The folder above, inside the same grant. */
  parent(): FolderHandle | undefined;
  /** The whole content, if the file still is the admitted one. */
  read(name: string, admitted: Identity, limit: bigint): Uint8Array;
  /** A link's target, as it is written. */
  readLink(name: string): string;
}

/** The decisions that need nothing of a host. */
export declare function loadPolicy(): Promise<Policy>;

/** Those and the run home, over folders of that class; `local` says whose a `settings.local.json` is, by default "shipped". */
export declare function loadRuntime(Folder: { prototype: FolderHandle }, local?: "shipped" | "mine"): Promise<Runtime>;

/** A session's input: a code session that drops a repository's powers; `more` overrides. */
export declare function input(bounds: Bounds, more?: Partial<Input>): Input;

/** The places of a session that works at the top of a trusted project; each call of `project` gives a new handle. */
export declare function places(
  project: () => FolderHandle,
  more?: { sharedHome?: () => FolderHandle; git?: boolean },
): Places;
