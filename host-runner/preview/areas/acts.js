import { table } from "../show.js";

// What each key of a settings file does, by severity; commands run without a question come first.
const KEYS = [
  ["apiKeyHelper", 1], ["awsAuthRefresh", 1], ["awsCredentialExport", 1], ["gcpAuthRefresh", 1], ["otelHeadersHelper", 1],
  ["statusLine", 1], ["subagentStatusLine", 1], ["fileSuggestion", 1], ["env", 2], ["enableAllProjectMcpServers", 2], ["enabledMcpjsonServers", 2],
  ["enabledPlugins", 2], ["extraKnownMarketplaces", 2],
];
const NAMES = ["", "runs a program", "changes what runs", "widens what is allowed"];
const words = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** What acts in a settings document, as [severity, what, command line]. */
export function acting(document) {
  const found = [];
  if (!document || typeof document !== "object") return found;
  for (const [event, groups] of Object.entries(document.hooks ?? {}))
    for (const group of Array.isArray(groups) ? groups : [groups])
      for (const hook of Array.isArray(group?.hooks) ? group.hooks : [group]) found.push([1, `hook ${event}`, words(hook?.command ?? hook?.url ?? hook)]);
  for (const [key, severity] of KEYS) if (document[key] !== undefined) found.push([severity, key, words(document[key]?.command ?? document[key])]);
  for (const rule of [document.permissions?.allow ?? []].flat()) found.push([3, "permissions.allow", words(rule)]);
  if (document.permissions?.defaultMode !== undefined) found.push([3, "permissions.defaultMode", words(document.permissions.defaultMode)]);
  for (const [name, server] of Object.entries(document.mcpServers ?? {}))
    found.push([1, `MCP server ${name}`, server?.command === undefined ? words(server?.url ?? server) : [server.command, ...[server.args ?? []].flat()].map(words).join(" ")]);
  return found;
}
function parsed(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
export default {
  id: "acts",
  title: "What acts",
  show(panel, session) {
    const { plan } = session;
    const mcp = plan.mcpConfig && plan.entries.find((entry) => entry.path === plan.mcpConfig.entry);
    const now = [...acting(JSON.parse(plan.effectiveSettings)), ...acting(mcp?.node.tag === "content" ? parsed(mcp.node.val) : undefined)];
    const wanted = [];
    for (const [path, bytes] of session.project.files()) {
      if (!/(^|\/)(settings(\.local)?\.json|\.mcp\.json)$/.test(path)) continue;
      const document = parsed(bytes);
      if (document === undefined) wanted.push([1, "unreadable, so not told", "", path]);
      else wanted.push(...acting(document).map((row) => [...row, path]));
    }
    wanted.push(...plan.report.removedPowers.map((p) => [2, p.carrier, p.value, p.file]));
    const sorted = (rows) => rows.sort((a, b) => a[0] - b[0]).map(([severity, ...rest]) => [NAMES[severity], ...rest]);
    panel.append(
      table("Acts in this run home", ["severity", "what", "command line or value"], sorted(now)),
      table("Acts in the repository's own files", ["severity", "what", "command line or value", "file"], sorted(wanted)),
    );
  },
};
