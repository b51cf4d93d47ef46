// Drives the preview page in Chromium: `node page.mjs ADDRESS REPOSITORY SCREENSHOTS MODULES CHROMIUM`; prints one line a proof.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const [address, repository, screenshots, modules, executablePath] = process.argv.slice(2);
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });

async function open(options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => (faults.push(`dialog ${dialog.message()}`), dialog.dismiss()));
  page.on("request", (request) => request.url().startsWith(address) || faults.push(`request to ${request.url()}`));
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.planned !== undefined);
  return { context, page, faults };
}
const tab = (page, name) => page.getByRole("tab", { name, exact: true });
const panel = (page) => page.locator('[role="tabpanel"]:not([hidden])');

const { page, faults } = await open();
const preloaded = await page.evaluate(() => ({ ...document.body.dataset }));
console.log(`preloaded: ${preloaded.planned} files, first plan ${preloaded.start} ms after the start`);
if (process.env.WINTER_START_LIMIT) assert.ok(Number(preloaded.start) < Number(process.env.WINTER_START_LIMIT), `start took ${preloaded.start} ms`);

await page.evaluate(() => delete document.body.dataset.planned);
await page.locator("#folder").setInputFiles(repository);
await page.waitForFunction(() => document.body.dataset.planned !== undefined);
await assertText("Plan", /settings\.json/);
async function assertText(name, ...patterns) {
  await tab(page, name).click();
  const text = await panel(page).innerText();
  for (const pattern of patterns) assert.match(text, pattern, `${name}: ${text.slice(0, 400)}`);
}
for (const details of await panel(page).locator("details").all()) await details.locator("summary").click();
assert.match(await panel(page).innerText(), /<script>/, "script-bearing content is shown as text");
await assertText("Settings", /winter's own/);
await assertText("Dropped", /hooks/);
await assertText("What acts", /touch \/tmp\/owned/, /runs a program/, /img src=x/, /\\u\{202e\}/);
await assertText("Selection", /Model/);
await page.getByRole("button", { name: "Select", exact: true }).click();
await assertText("Selection", /because/i);
await tab(page, "Switch review").click();
await page.getByRole("button", { name: "Review", exact: true }).click();
await page.waitForFunction(() => document.querySelector('[role="tabpanel"]:not([hidden])').innerText.length > 120);
await assertText("Door", /would be started with/);
await page.getByRole("button", { name: "Check", exact: true }).click();
await assertText("Door", /may start/, /LD_PRELOAD/, /not-listed|closed/);
await assertText("Containment", /floor and no sandbox/);
await page.getByRole("button", { name: "Judge", exact: true }).click();
await assertText("Containment", /Refused \(/);
await panel(page).locator("textarea").fill('{"command":"ls"}');
await page.getByRole("button", { name: "Judge", exact: true }).click();
await assertText("Containment", /names nothing that is protected/);
await assertText("Tables", /acts-command/);
const topics = await panel(page).locator("option").allInnerTexts();
assert.deepEqual(topics.slice(-4), ["door", "carry", "recovery", "containment"]);
for (const topic of topics) {
  await panel(page).locator("select").selectOption(topic);
  assert.ok((await panel(page).locator("table").count()) > 0, `the tables of ${topic}`);
}
assert.equal(await page.locator("main img, main iframe, main script").count(), 0, "nothing of the repository became markup");
assert.equal(await page.evaluate(() => window.owned), undefined);

// By keyboard alone: one tab is in the tab order, the arrows move.
await tab(page, "Tables").focus();
await page.keyboard.press("Home");
assert.equal(await tab(page, "Plan").getAttribute("aria-selected"), "true");
await page.keyboard.press("ArrowRight");
assert.equal(await page.evaluate(() => document.activeElement.textContent), "Settings");
assert.equal(await page.locator('[role="tab"][tabindex="0"]').count(), 1);

await page.locator("summary", { hasText: "Paste" }).click();
await page.locator("#pasted").fill('{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"pasted-command"}]}]}}');
await page.locator("#use-pasted").click();
await page.waitForFunction(() => document.body.dataset.planned === "1");
await assertText("What acts", /pasted-command/);
assert.deepEqual(faults, []);
console.log("tabs, texts, keyboard, pasted settings: good");

// A folder that is dropped on the page is the same as one that is chosen.
async function replanned(act) {
  await page.evaluate(() => delete document.body.dataset.planned);
  await act();
  await page.waitForFunction(() => document.body.dataset.planned !== undefined);
}
const { x, y, width, height } = await page.locator("#drop").boundingBox();
const devtools = await page.context().newCDPSession(page);
await replanned(async () => {
  const at = { x: x + width / 2, y: y + height / 2, data: { items: [], files: [repository], dragOperationsMask: 1 } };
  for (const type of ["dragEnter", "dragOver", "drop"]) await devtools.send("Input.dispatchDragEvent", { type, ...at });
});
await assertText("What acts", /touch \/tmp\/owned/);

// The switches: what acts stays with `keep`, a local file that is the person's own acts, and each brand has its own files.
const chosen = (id, value) => replanned(() => page.locator(`#${id}`).selectOption(value));
const section = (title) => panel(page).locator("section", { hasText: title }).first().innerText();
await tab(page, "What acts").click();
assert.doesNotMatch(await section("Acts in this run home"), /owned/);
await chosen("powers", "keep");
assert.match(await section("Acts in this run home"), /touch \/tmp\/owned/);
await chosen("powers", "drop");
await assertText("Settings", /settings/i);
assert.doesNotMatch(await panel(page).innerText(), /local-only/);
await chosen("local", "mine");
await assertText("Settings", /local-only/, /Read\(.*a\).*project, local/);
await chosen("brand", "claude");
await assertText("Dropped", /claude-helper/);
await assertText("Plan", /CLAUDE\.md/);
await tab(page, "Door").click();
await panel(page).locator("textarea").first().fill("--worktree");
await page.getByRole("button", { name: "Check", exact: true }).click();
await assertText("Door", /argument-refused/);
assert.deepEqual(faults, []);
console.log("a dropped folder, powers, the local file, the brand: good");

for (const [width, colorScheme] of [[1200, "light"], [360, "dark"]]) {
  const { page, faults, context } = await open({ viewport: { width, height: 800 }, colorScheme });
  for (const area of ["Plan", "Settings", "Dropped", "What acts", "Door", "Containment", "Tables"]) {
    await tab(page, area).click();
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${area} is ${over} px too wide at ${width}`);
    await page.screenshot({ path: join(screenshots, `${area.replace(" ", "-").toLowerCase()}-${width}-${colorScheme}.png`) });
  }
  assert.deepEqual(faults, []);
  await context.close();
  const checked = await open({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
  await checked.page.addScriptTag({ path: require.resolve("axe-core") });
  for (const area of ["Plan", "Settings", "Dropped", "What acts", "Selection", "Switch review", "Door", "Containment", "Tables"]) {
    await tab(checked.page, area).click();
    const { violations } = await checked.page.evaluate(() => globalThis.axe.run());
    const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
    assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes[0].html}`), [], `${area} at ${width}`);
  }
  await checked.context.close();
  console.log(`${width} px, ${colorScheme}: fits, axe-core finds nothing serious`);
}
await browser.close();
