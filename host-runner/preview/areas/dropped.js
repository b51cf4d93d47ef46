import { table } from "../show.js";
export default {
  id: "dropped",
  title: "Dropped",
  show(panel, { plan: { report: r } }) {
    panel.append(
      table("Settings", ["what", "tier", "source", "line", "row", "withheld"], r.droppedRules.map((d) => [d.rule, d.tier, d.source, d.line, d.reason, d.withheld])),
      table("Powers", ["carrier", "value", "file", "line", "row"], r.removedPowers.map((d) => [d.carrier, d.value, d.file, d.line, d.reason])),
      table("MCP servers", ["name", "tier", "source", "row", "detail"], r.droppedMcpServers.map((d) => [d.name, d.scope, d.source, d.reason, d.detail])),
      table("Imports", ["file", "line", "target", "reason", "detail"], r.droppedImports.map((d) => [d.file, d.line, d.target, d.reason, d.detail])),
      table("Items", ["path", "reason", "detail"], [...r.skippedItems.map((d) => [d.path, d.reason, d.detail]), ...r.skippedAgents.map((d) => [d.path, "agent", d.detail])]),
      table("Links", ["path", "target", "reason"], [...r.skippedLinks.map((d) => [d.path, d.target, d.reason]), ...r.externalUserLinks.map((d) => [d.path, d.target, d.granted ? "yours, granted" : "yours, not granted"])]),
      table("Rules without a condition", ["path", "entry"], r.unconditionalRules.map((d) => [d.path, d.entry])),
      table("Notices", ["kind", "path", "line", "text"], r.notices.map((d) => [d.kind, d.path, d.line, d.text])),
    );
  },
};
