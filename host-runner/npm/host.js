// The imports of the runtime world, and the places that a session concerns.

/**
 * The imports of `winter-runtime`. `local` says whose the local settings file is: "shipped" (git lists it) or "mine".
 */
export function imports(Folder, local = "shipped") {
  return {
    "winter:host/files": { Folder },
    "winter:host/git-index": {
      probe: (_top, paths) =>
        local === "mine" ? [] : paths.map((path) => ({ path, place: "in-index", mode: 0o100644, covering: false })),
    },
    "winter:host/process": {
      spawn: () => {
        throw Object.assign(new Error("not granted"), { payload: { tag: "not-granted", val: "no program is started here" } });
      },
    },
    "winter:host/clock": { now: () => BigInt(Date.now()) },
  };
}

/** A session's input: a code session under stated paths that drops a repository's powers. */
export function input(bounds, more = {}) {
  return {
    runId: "preview-0001",
    home: "/home/you/.winter",
    homeSpellings: [],
    sharedHome: "/home/you/.winter/sdk",
    mode: "code",
    dispatchChild: false,
    leg: "winter",
    mcpDisabled: [],
    reservedMcpServerNames: [],
    memoryDir: "",
    brand: { tag: "winter" },
    powers: "drop",
    allowInexpressible: false,
    userHome: "/home/you",
    sharedHomeSpellings: [],
    bounds,
    containmentHook: undefined,
    ...more,
  };
}

/** The places of a session that works at the top of a trusted project; each folder is a handle of its own. */
export function places(project, { sharedHome, git = true } = {}) {
  return {
    sharedHome: sharedHome?.(),
    cwd: project(),
    trustedRoot: project(),
    gitTop: git ? project() : undefined,
    gitEntry: git ? project() : undefined,
    granted: [],
    globalHome: undefined,
    links: undefined,
  };
}
