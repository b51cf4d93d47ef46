import { areas } from "./areas/index.js";
import { imports, input, places } from "./host.js";
import { Folder, MemoryTree } from "./memory-files.js";
import { element, fault } from "./show.js";
import { instantiate } from "./winter-runtime/winter-runtime.js";

const MOST_FILES = 20_000;
const MOST_BYTES = 8 << 20;
// Dependencies and builds hold nothing that the policy looks at, and git's own store is never the project's.
const PASSED_OVER = new Set(["node_modules", "target"]);
const $ = (id) => document.getElementById(id);
const compiled = new Map();
const core = (name) => {
  if (!compiled.has(name)) compiled.set(name, WebAssembly.compileStreaming(fetch(new URL(`./winter-runtime/${name}`, import.meta.url))));
  return compiled.get(name);
};
// A guest that trapped is dead: each plan has an instance of its own.
const fresh = () => instantiate(core, imports(Folder, $("local").value));

let project = new MemoryTree();
let left = 0;
let shown;

const brand = () => ({ tag: $("brand").value });
const sharedHomeOf = () => ($("brand").value === "claude" ? "/home/you/.claude" : "/home/you/.winter/sdk");

function build(policy, tree, own) {
  const more = { brand: brand(), leg: "winter", powers: $("powers").value, mode: $("mode").value };
  const shared = new MemoryTree();
  if (own !== undefined) shared.file("settings.json", own);
  const sharedHome = sharedHomeOf();
  const lent = places(() => Folder.of(tree, "/repository"), { sharedHome: () => Folder.of(shared, sharedHome) });
  return policy.runHome.build(input(policy.runHome.defaultBounds(), { ...more, sharedHome }), lent);
}

/** The effective settings of one tier alone, or undefined where it alone is refused. */
function alone(policy, tier, own) {
  const folder = policy.runHome.profileOf(brand()).projectDir;
  const tree = new MemoryTree();
  for (const [path, bytes] of project.files()) {
    const above = path.split("/").slice(-2, -1)[0];
    const name = path.split("/").pop();
    const of = above === folder && { "settings.json": "project", "settings.local.json": "local" }[name];
    if (!of || of === tier) tree.file(path, bytes);
  }
  try {
    return build(policy, tree, tier === "user" ? own : undefined).effectiveSettings;
  } catch {
    return undefined;
  }
}

async function draw() {
  const start = performance.now();
  const policy = await fresh();
  const own = $("own").value.trim() === "" ? undefined : $("own").value;
  const shownBrand = { brand: brand(), profile: policy.runHome.profileOf(brand()), sharedHome: sharedHomeOf() };
  const session = { policy, project, ...shownBrand, alone: (tier) => alone(policy, tier, own), bytes: ({ place, path }) => (place === "shared-home" ? undefined : project.read(path)) };
  let failed;
  try {
    session.plan = build(policy, project, own);
  } catch (error) {
    failed = error;
  }
  shown = (area) => {
    const panel = $(`panel-${area.id}`);
    panel.replaceChildren();
    try {
      if (failed && !area.always) panel.append(fault(failed));
      else area.show(panel, session);
    } catch (error) {
      panel.append(fault(error));
    }
  };
  for (const area of areas) $(`panel-${area.id}`).dataset.stale = "yes";
  choose(current);
  const files = [...project.files()].length;
  const dropped = session.plan ? `${session.plan.entries.length} entries, ${session.plan.report.droppedRules.length} settings dropped` : "refused";
  $("status").textContent = `${files} files: ${dropped}.${left ? ` ${left} entries were passed over, too large, too many or unreadable, and were not read.` : ""}`;
  document.body.dataset.planned = String(files);
  document.body.dataset.milliseconds = String(Math.round(performance.now() - start));
  document.body.dataset.start = String(Math.round(performance.now()));
}

// Tabs: one is in the tab order, the arrows move among them.
let current = areas[0];
function choose(area, focus = false) {
  current = area;
  for (const each of areas) {
    const [tab, panel] = [$(`tab-${each.id}`), $(`panel-${each.id}`)];
    tab.setAttribute("aria-selected", String(each === area));
    tab.tabIndex = each === area ? 0 : -1;
    panel.hidden = each !== area;
  }
  if (focus) $(`tab-${area.id}`).focus();
  const panel = $(`panel-${area.id}`);
  if (shown && panel.dataset.stale === "yes") {
    panel.dataset.stale = "";
    shown(area);
  }
}
for (const area of areas) {
  const tab = element("button", { type: "button", role: "tab", id: `tab-${area.id}`, "aria-controls": `panel-${area.id}` }, area.title);
  tab.addEventListener("click", () => choose(area));
  tab.addEventListener("keydown", (event) => {
    const at = areas.indexOf(area);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: areas.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(areas[(to + areas.length) % areas.length], true);
  });
  $("tabs").append(tab);
  $("panels").append(element("div", { role: "tabpanel", id: `panel-${area.id}`, "aria-labelledby": `tab-${area.id}`, tabindex: "0" }));
}
choose(current);

/** Takes files as [path, Blob]; a `.git` is kept as a marker only. */
async function take(files, links = [], leftOut = 0) {
  const tree = new MemoryTree();
  left = leftOut;
  let taken = 0;
  for (const [path, blob] of files) {
    const names = path.split("/");
    const git = names.indexOf(".git");
    if (git >= 0) {
      tree.directory(names.slice(0, git + 1).join("/"));
    } else if (names.some((name) => PASSED_OVER.has(name)) || blob.size > MOST_BYTES || taken >= MOST_FILES) {
      left++;
    } else {
      tree.file(path, new Uint8Array(await blob.arrayBuffer()));
      taken++;
    }
  }
  for (const { path, target } of links) tree.link(path, target);
  tree.directory(".git");
  project = tree;
  await draw();
}
async function* dropped(entry, prefix) {
  if (entry.isFile) yield [prefix + entry.name, await new Promise((done, failed) => entry.file(done, failed))];
  if (!entry.isDirectory) return;
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    for (const child of some) yield* dropped(child, `${prefix}${entry.name}/`);
  }
}
const told = (work) => work.catch((error) => ($("status").textContent = `That could not be read: ${error.message}`));
$("folder").addEventListener("change", () => told(take([...$("folder").files].map((file) => [file.webkitRelativePath.split("/").slice(1).join("/"), file]))));
$("drop").addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").classList.add("over");
});
$("drop").addEventListener("dragleave", () => $("drop").classList.remove("over"));
$("drop").addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  const entry = event.dataTransfer.items[0]?.webkitGetAsEntry();
  if (!entry?.isDirectory) {
    $("status").textContent = "A folder was expected.";
    return;
  }
  told((async () => {
    const files = [];
    for await (const [path, file] of dropped(entry, "")) files.push([path.split("/").slice(1).join("/"), file]);
    await take(files);
  })());
});
$("use-pasted").addEventListener("click", () => {
  const folder = $("brand").value === "claude" ? ".claude" : ".winter";
  told(take([[`${folder}/settings.json`, new Blob([$("pasted").value])]]));
});
for (const id of ["brand", "powers", "mode", "local", "own"]) $(id).addEventListener("change", () => told(draw()));

const answer = await fetch("repository.json");
const { files = [], links = [], left: leftOut = [] } = answer.ok ? await answer.json() : {};
const blobs = files.map(({ path, base64 }) => [path, new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))])]);
await told(take(blobs, links, leftOut.length));
