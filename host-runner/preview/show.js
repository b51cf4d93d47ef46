// Elements out of text; nothing of a repository ever becomes markup.
const odd = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;
/** A name or value on one line: controls and invisible characters as escapes, very long ones cut with their length. */
export function plain(text) {
  const escaped = String(text).replace(odd, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  return escaped.length > 2000 ? `${escaped.slice(0, 2000)} … (${escaped.length} characters)` : escaped;
}
/** A whole text: lines and tabs stay, everything invisible is escaped. */
export const text = (value) => String(value).split("\n").map((line) => line.split("\t").map((s) => s.replace(odd, (c) => `\\u{${c.codePointAt(0).toString(16)}}`)).join("\t")).join("\n");
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
export function table(title, columns, rows) {
  const cell = (tag, value) => element(tag, tag === "th" ? { scope: "col" } : {}, plain(value ?? ""));
  const head = element("tr", {}, ...columns.map((c) => cell("th", c)));
  const body = rows.map((row) => element("tr", {}, ...row.map((value) => cell("td", value))));
  const made = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
  return element("section", {}, element("h2", {}, plain(title)), rows.length
    ? element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": plain(title) }, made)
    : element("p", { class: "soft" }, "none"));
}
/** What a refusal says: the policy's sentence and its help. */
export function fault(error) {
  const { message, help } = error?.payload ?? {};
  return element("div", { class: "error" }, element("p", {}, plain(message ?? error)), element("p", { class: "soft" }, plain(help ?? "")));
}
