import { table } from "../show.js";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The policy's own words for its reasons: how grave each is, and why. */
function words({ explain }) {
  const [advice] = explain.sheets("report");
  const grave = new Map(advice.rows.map(([reason, severity], at) => [reason, { severity, at }]));
  const rows = [...explain.sheets("settings")[0].rows, ...explain.sheets("env")[0].rows].map(([reason, , , why]) => [reason, why]);
  const [powers] = explain.sheets("powers");
  const why = new Map([...powers.rows.map(([, , reason, because]) => [reason, because]), ...rows]);
  const server = new Map(powers.rows.filter(([, carrier]) => carrier.startsWith("mcpServers.*.")).map(([, carrier, reason]) => [carrier.split(".").pop(), reason]));
  return { server, row: (reason, what, ...more) => [grave.get(reason)?.at ?? Infinity, grave.get(reason)?.severity ?? "", reason, what, why.get(reason) ?? "", ...more] };
}

/** What acts in a settings document: whatever the policy would drop of it, were it a repository's, that is grave. */
function settings({ policy, brand }, { row }, text, source) {
  const options = { brand, powers: "drop", allowInexpressible: true, protected: { ask: [], deny: [], denyWrite: [] } };
  const { dropped, skipped } = policy.settings.compose([{ tier: "project", source, anchor: "/repository", text }], options);
  return [
    ...dropped.map(({ reason, rule, line }) => row(reason, rule, source, line)).filter(([, severity]) => severity === "danger"),
    ...skipped.map(({ reason, detail, line }) => row(reason, detail, source, line)),
  ];
}

/** The servers of a file of MCP servers. */
function servers({ server, row }, bytes, source) {
  let named;
  try {
    named = JSON.parse(decoder.decode(bytes)).mcpServers ?? {};
  } catch {
    return [row("unusable", "no JSON, so not told", source)];
  }
  return Object.entries(named).flatMap(([name, entry]) => ["command", "url"].filter((key) => entry?.[key] !== undefined).map((key) => {
    const line = [entry[key], ...(key === "command" ? [entry.args ?? []].flat() : [])];
    return row(server.get(key), `MCP server ${name}: ${line.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" ")}`, source);
  }));
}

const COLUMNS = ["severity", "row", "what", "why", "file", "line"];
const sorted = (rows) => rows.sort((a, b) => a[0] - b[0]).map(([, ...shown]) => shown);
export default {
  id: "acts",
  title: "What acts",
  show(panel, session) {
    const { plan, project } = session;
    const say = words(session.policy);
    const mcp = plan.mcpConfig && plan.entries.find((entry) => entry.path === plan.mcpConfig.entry);
    const now = settings(session, say, encoder.encode(plan.effectiveSettings), "settings.json");
    if (mcp?.node.tag === "content") now.push(...servers(say, mcp.node.val, mcp.path));
    const wanted = [];
    for (const [path, bytes] of project.files()) {
      if (/(^|\/)settings(\.local)?\.json$/.test(path)) wanted.push(...settings(session, say, bytes, path));
      if (/(^|\/)\.mcp\.json$/.test(path)) wanted.push(...servers(say, bytes, path));
    }
    wanted.push(...plan.report.removedPowers.map((p) => say.row(p.reason, `${p.carrier}: ${p.value}`, p.file, p.line)));
    panel.append(table("Acts in this run home", COLUMNS, sorted(now)), table("Acts in the repository's own files", COLUMNS, sorted(wanted)));
  },
};
