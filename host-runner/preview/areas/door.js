import { element, fault, plain, table } from "../show.js";

const lines = (area) => area.value.split("\n").filter((line) => line !== "");
export default {
  id: "door",
  title: "Door",
  show(panel, { policy, plan, brand, profile }) {
    const field = (rows, value) => Object.assign(element("textarea", { rows: String(rows), spellcheck: "false" }), { value });
    const given = field(3, "-p\nhello");
    const environment = field(5, "HOME=/home/you\nPATH=/usr/bin\nLANG=C.UTF-8\nLD_PRELOAD=/tmp/x.so\nMY_TOKEN=secret");
    const version = element("input", { value: profile.supportedVersions?.from ?? "" });
    const go = element("button", { type: "button", class: "main" }, "Check");
    const out = element("div");
    go.addEventListener("click", () => {
      const { runId, dir, sdkHome, mcpConfig } = plan;
      const home = { runId, dir, sharedHome: sdkHome, cwd: "/repository", brand: profile.name, leg: "winter", memoryDir: "", mcpConfig, servers: [], builtHere: true, disposed: false };
      const variables = lines(environment).map((line) => ({ name: line.split("=")[0], value: line.split("=").slice(1).join("=") }));
      try {
        const launch = policy.door.check({
          home, requireRunHome: true, cwd: "/repository", brand, store: sdkHome, options: "{}", program: profile.name, arguments: lines(given),
          environment: variables, admitted: [], reviewed: [], capabilityServers: "{}", version: version.value || undefined, allowRemoteConfiguration: false,
        });
        out.replaceChildren(
          element("p", {}, "The program may start. Nothing is started here."),
          table("Its arguments", ["argument"], launch.arguments.map((one) => [one])),
          table("Its whole environment", ["name", "value"], launch.environment.map(({ name, value }) => [name, value])),
          table("Variables of yours that it does not get", ["name", "why"], launch.withheld.map(({ name, reason }) => [name, reason])),
        );
      } catch (error) {
        const { code, field: of } = error.payload ?? {};
        out.replaceChildren(fault(error), ...(code ? [element("p", { class: "soft" }, `${plain(code)}: ${plain(of)}`)] : []));
      }
    });
    panel.append(
      element("p", {}, "What a program would be started with on this run home."),
      element("label", {}, "Arguments, one a line", given),
      element("label", {}, "Your environment, NAME=VALUE", environment),
      element("p", {}, element("label", {}, "The program's version ", version)),
      element("p", {}, go),
      out,
    );
  },
};
