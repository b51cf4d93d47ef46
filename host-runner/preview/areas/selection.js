import { element, fault, plain, table } from "../show.js";
export default {
  id: "selection",
  title: "Selection",
  always: true,
  show(panel, { policy }) {
    const model = element("input", { value: policy.catalog.models([]).map((m) => `${m.provider}/${m.model}`)[0] ?? "" });
    const credentials = element("textarea", { rows: "4", spellcheck: "false" });
    credentials.value = "[]";
    const go = element("button", { type: "button", class: "main" }, "Select");
    const out = element("div");
    go.addEventListener("click", () => {
      try {
        const held = policy.selection.credentials({ name: "credentials", text: new TextEncoder().encode(credentials.value) });
        const answer = policy.selection.select({ requested: { model: model.value }, catalog: policy.selection.packed([]), credentials: held, explain: true });
        const { tag, val } = answer.outcome;
        out.replaceChildren(
          element("p", {}, tag === "selected" ? `${plain(val.runtime)} serves ${plain(val.model)} of ${plain(val.provider)} (row ${plain(val.ruleId)})` : plain(val.message)),
          table("Rows", ["id", "when", "applied", "because"], answer.steps.map((s) => [s.id, s.when, s.applied, s.because])),
        );
      } catch (error) {
        out.replaceChildren(fault(error));
      }
    });
    panel.append(element("p", {}, element("label", {}, "Model, as provider/model ", model)), element("label", {}, "Credentials: references, never secrets", credentials), element("p", {}, go), out);
  },
};
