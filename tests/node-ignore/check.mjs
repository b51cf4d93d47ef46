// Reads [{content, path, others}] from stdin: a rule's content, the path that it spells, and paths near it. Writes, for each,
// what node-ignore makes of it: {missed: bool, also: [paths]}, a list for the pattern alone and one for it with /** after it.
import { readFileSync } from "node:fs";
import ignore from "ignore";

const unescape = (content) => content.replace(/\\([()\\])/g, "$1");

// A list is handed over unsplit, as the runtimes do; a string would be taken line by line.
const matcher = (pattern) => {
  const rules = ignore({ ignorecase: false, allowRelativePaths: false }).add([pattern]);
  return (path) => rules.ignores(path.slice(1));
};

const judge = (matches, path, others, below) => ({
  missed: !matches(path + below),
  also: others.filter((other) => matches(other + below)),
});

const cases = JSON.parse(readFileSync(0, "utf8"));
const answers = cases.map(({ content, path, others }) => {
  const pattern = unescape(content);
  return {
    itself: judge(matcher(pattern), path, others, ""),
    inside: judge(matcher(`${pattern}/**`), path, others, "/s"),
  };
});
process.stdout.write(JSON.stringify(answers));
