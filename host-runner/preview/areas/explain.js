import { element, table } from "../show.js";
export default {
  id: "explain",
  title: "Tables",
  always: true,
  show(panel, { policy }) {
    const select = element("select", {}, ...policy.explain.topics().map((topic) => element("option", {}, topic)));
    const out = element("div");
    const draw = () => out.replaceChildren(...policy.explain.sheets(select.value).map((sheet) => table(sheet.title, sheet.columns, sheet.rows)));
    select.addEventListener("change", draw);
    panel.append(element("label", {}, "Policy ", select), out);
    draw();
  },
};
