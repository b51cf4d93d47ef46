import { element, fault, plain, table } from "../show.js";
const MOST_READS = 32;
export default {
  id: "switch-review",
  title: "Switch review",
  always: true,
  show(panel, { policy }) {
    const file = element("input", { type: "file" });
    const pasted = element("textarea", { rows: "5", spellcheck: "false" });
    const target = element("input", { value: policy.catalog.models([]).map((m) => `${m.provider}/${m.model}`)[0] ?? "" });
    const go = element("button", { type: "button", class: "main" }, "Review");
    const out = element("div");
    go.addEventListener("click", async () => {
      try {
        const blob = file.files[0] ?? new Blob([pasted.value]);
        const slash = target.value.indexOf("/");
        const to = slash < 0 ? { model: target.value } : { provider: target.value.slice(0, slash), model: target.value.slice(slash + 1) };
        let tail = new Uint8Array();
        for (let reads = 0; reads < MOST_READS; reads++) {
          const reading = { session: "preview", fileLength: BigInt(blob.size), tail, sidecar: new Uint8Array() };
          const step = policy.switchReview.review(reading, undefined, to, false, []);
          if (step.tag === "answer") {
            const r = step.val;
            out.replaceChildren(
              ...r.summary.map((line) => element("p", {}, plain(line))),
              table("Losses", ["severity", "kind", "count", "names"], r.losses.map((l) => [l.severity, l.kind, l.count, l.names.join(", ")])),
            );
            return;
          }
          const { offset, length } = step.val;
          const before = new Uint8Array(await blob.slice(Number(offset), Number(offset + length)).arrayBuffer());
          const whole = new Uint8Array(before.length + tail.length);
          whole.set(before);
          whole.set(tail, before.length);
          tail = whole;
        }
        throw new Error("the policy asked for more and more of the transcript");
      } catch (error) {
        out.replaceChildren(fault(error));
      }
    });
    panel.append(element("p", {}, element("label", {}, "Transcript ", file)), element("label", {}, "or its lines", pasted), element("p", {}, element("label", {}, "To, as provider/model ", target)), go, out);
  },
};
