import { table } from "../show.js";

/** Every value of a document as [path, value in JSON]; members of lists one by one. */
export function* leaves(value, path = "") {
  if (Array.isArray(value)) for (const item of value) yield [`${path}[]`, JSON.stringify(item)];
  else if (value && typeof value === "object") for (const [key, child] of Object.entries(value)) yield* leaves(child, path ? `${path}.${key}` : key);
  else yield [path, JSON.stringify(value)];
}
const keys = (json) => new Set([...leaves(JSON.parse(json))].map((leaf) => leaf.join("\0")));
export default {
  id: "settings",
  title: "Settings",
  show(panel, session) {
    // Each tier composed alone tells which values it gives; what stands without any is the policy's own.
    const alone = ["none", "user", "project", "local"].map((tier) => [tier, session.alone(tier)]);
    const known = alone.map(([tier, json]) => [tier, json === undefined ? undefined : keys(json)]);
    const paths = alone.slice(1).map(([tier, json]) => [tier, json === undefined ? new Set() : new Set([...leaves(JSON.parse(json))].map(([path]) => path))]);
    const rows = [...leaves(JSON.parse(session.plan.effectiveSettings))].map(([path, value]) => {
      const key = `${path}\0${value}`;
      const from = known.filter(([, set]) => set?.has(key)).map(([tier]) => tier);
      if (from.includes("none")) return [path, value, "winter's own"];
      // No tier alone gives a value that is made of several: those that say something there are named.
      const made = paths.filter(([, set]) => set.has(path)).map(([tier]) => tier);
      return [path, value, from.join(", ") || `${made.join(" and ") || "several tiers"} together`];
    });
    panel.append(table("Effective settings", ["key", "value", "tier"], rows));
    for (const [tier, set] of known) if (!set) panel.append(`What the tier ${tier} gives alone could not be told.`);
  },
};
