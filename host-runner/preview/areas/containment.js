import { element, fault, plain, table } from "../show.js";

export default {
  id: "containment",
  title: "Containment",
  always: true,
  show(panel, { policy, sharedHome }) {
    const targets = policy.containment.targets({ home: ["/home/you/.winter"], sharedHome: [sharedHome] });
    const tool = element("select", {}, ...["Bash", "Read", "Write", "Edit", "Grep", "Glob"].map((name) => element("option", {}, name)));
    const input = element("textarea", { rows: "4", spellcheck: "false" });
    input.value = JSON.stringify({ command: "cat ~/'.win'ter/runs/x" });
    const go = element("button", { type: "button", class: "main" }, "Judge");
    const out = element("div", { role: "status" });
    go.addEventListener("click", () => {
      try {
        const refused = policy.containment.decide({ tool: tool.value, input: input.value, cwd: "/repository", userHome: "/home/you" }, targets);
        out.replaceChildren(element("p", {}, refused ? `Refused (${plain(refused.id)}): ${plain(refused.reason)}` : "It names nothing that is protected."));
      } catch (error) {
        out.replaceChildren(fault(error));
      }
    });
    panel.append(
      element("p", {}, "Whether a session's tool may be called so, where the session has containment. It is a floor and no sandbox."),
      element("p", {}, element("label", {}, "Tool ", tool)),
      element("label", {}, "Its arguments, as JSON", input),
      element("p", {}, go),
      out,
      table("What a session's tools may not name", ["id", "path", "kept from it", "why"], targets.map((t) => [t.id, t.path, t.access, t.why])),
    );
  },
};
