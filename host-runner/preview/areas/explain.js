import { element, table } from "../show.js";
const TOPICS = ["settings", "env", "powers", "items", "mcp", "report", "escape", "selection", "switch-review"];
export default {
  id: "explain",
  title: "Tables",
  always: true,
  show(panel, { policy }) {
    const select = element("select", {}, ...TOPICS.map((topic) => element("option", {}, topic)));
    const out = element("div");
    const draw = () => out.replaceChildren(...policy.explain.sheets(select.value).map((sheet) => table(sheet.title, sheet.columns, sheet.rows)));
    select.addEventListener("change", draw);
    panel.append(element("label", {}, "Policy ", select), out);
    draw();
  },
};
