import { element, plain, text } from "../show.js";

const decoder = new TextDecoder();
function content({ node }, session) {
  if (node.tag === "content") return decoder.decode(node.val);
  if (node.tag === "link") return `link to ${node.val}`;
  if (node.tag === "copy") return decoder.decode(session.bytes(node.val) ?? new Uint8Array());
  const { head, source, offset } = node.val;
  return decoder.decode(head) + decoder.decode((session.bytes(source) ?? new Uint8Array()).slice(Number(offset)));
}
export default {
  id: "plan",
  title: "Plan",
  show(panel, session) {
    panel.append(element("p", {}, `${session.plan.entries.length} entries of the run home. Open one to see its content.`));
    for (const entry of session.plan.entries) {
      if (entry.node.tag === "directory") {
        panel.append(element("p", {}, `${plain(entry.path)}/`));
        continue;
      }
      const details = element("details", {}, element("summary", {}, `${plain(entry.path)} (${entry.node.tag}) `, element("span", { class: "soft" }, plain(entry.source))));
      details.addEventListener("toggle", () => details.children.length > 1 || details.append(element("pre", { tabindex: "0" }, text(content(entry, session)))));
      panel.append(details);
    }
  },
};
