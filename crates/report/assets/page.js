// The page itself: what there is, where one is, and what is shown there.

const report = JSON.parse(document.getElementById("data").textContent);

/** For each kind of evidence: its card in the summary, and its pages. */
const KINDS = {
  generate: {
    name: (item) => (item.coverage.length || !item.properties.length ? `Tests: ${item.criterion}` : "Properties"),
    card: (item, link) => [item.properties.length ? propertiesCard(item, link) : null, item.errors ? errorsCard(item, link) : null, item.coverage.length || !(item.properties.length || item.errors) ? generationCard(item, link) : null],
    extra: (item) => (item.coverage.length ? [h("h2", null, `By criterion and node: ${item.criterion}`), coverageByNode(item)] : null),
    pages: (item, links) => [
      ["source", "Source", null, (rest) => sourcePage(item, links, rest)],
      ...(item.properties.length ? [["properties", "Properties", item.properties.length, (rest) => propertiesPage(item, links, rest)]] : []),
      ...(item.errors ? [["errors", "Design errors", item.errors.total, (rest) => errorsPage(item, links, rest)]] : []),
      ...(item.coverage.length || !item.properties.length ? [["obligations", "Obligations", item.coverage.length, (rest) => obligationsPage(item, links, rest)]] : []),
      ["tests", "Tests", item.tests.length, (rest) => testsPage(item, links, rest)],
      ["settings", "Settings", null, () => settingsPage(item)],
    ],
  },
  mutate: { name: (item) => `Mutants: ${item.from.split("/").slice(-2, -1)[0] || item.from}`, card: mutateCard, pages: (item) => [["mutants", "Mutants", item.result.mutants, (rest) => mutantsPage(item, rest)]] },
  audit: { name: () => "Audit", card: auditCard, pages: (item) => [["audit", "Claims", item.result.claims, () => auditPage(item)]] },
  run: { name: () => "Target", card: runCard, pages: (item) => [["timelines", "Timelines", (item.result.tests || []).length, (rest) => runPage(item, rest)]] },
  verify: { name: (item) => `Timed: ${fileName(item.result.model)}`, card: verifyCard, pages: (item) => [["answers", "Answers", item.result.answers.length, (rest) => verifyPage(item, rest)]] },
  mine: { name: (item) => `Mined: ${fileName(item.result.target)}`, card: mineCard, pages: (item) => [["machine", "Machine", item.result.machines[0]?.states, () => minePage(item)]] },
  judge: { name: () => "Timed tests", card: judgeCard, pages: (item) => [["verdicts", "Verdicts", item.result.verdicts.length, () => judgePage(item)]] },
  estimate: { name: (item) => `Probabilities: ${fileName(item.result.model)}`, card: estimateCard, pages: (item) => [["estimates", "Estimates", item.result.answers.length, () => estimatePage(item)]] },
};

function fileName(path) {
  return path.split("/").pop();
}

const address = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

function linksOf(number) {
  return {
    obligation: (obligation) => address(number, obligation.kind === "property" ? "properties" : "obligations", obligation.id),
    error: (error) => address(number, "errors", error.id),
    source: (obligation) => address(number, "source", obligation.id),
    test: (name) => address(number, "tests", name),
  };
}

/** What the pages look up often. */
function prepare(item) {
  if (item.kind !== "generate") return;
  item.properties = item.obligations.filter((obligation) => obligation.kind === "property");
  item.coverage = item.obligations.filter((obligation) => obligation.kind !== "property");
  item.criterion = [...new Set(item.coverage.map((obligation) => obligation.criterion))].join(", ") || "nothing";
  item.bySpan = new Map();
  for (const obligation of item.obligations) {
    const key = `${obligation.start}-${obligation.end}`;
    if (!item.bySpan.has(key)) item.bySpan.set(key, []);
    item.bySpan.get(key).push(obligation);
  }
  const required = new Map();
  const first = report.evidence.find((other) => other.kind === "generate") === item;
  for (const requirement of first ? report.requirements || [] : []) {
    for (const position of requirement.obligations) {
      const key = item.obligations[position];
      if (!required.has(key)) required.set(key, []);
      required.get(key).push(requirement);
    }
  }
  item.hasRequirements = required.size > 0;
  item.requirementsOf = (obligation) => required.get(obligation) || [];
}

report.evidence.forEach(prepare);
const known = report.evidence.map((item, number) => ({ item, number, kind: KINDS[item.kind] })).filter(({ kind }) => kind);
const routes = new Map([["", () => summaryPage()]]);
if ((report.requirements || []).length) routes.set("requirements", (rest) => requirementsPage(rest));
for (const { item, number, kind } of known) {
  for (const [path, , , make] of kind.pages(item, linksOf(number))) routes.set(`${number}/${path}`, make);
}

/** What a reader should look at first: [state, how many, of what, address] for each kind of trouble. */
function troubles({ item, number }) {
  const some = (name, list, what, path, first) => (list.length ? [[name, plural(list.length, what), address(number, path, ...(first ? [first(list[0])] : []))]] : []);
  const is = (key, ...values) => (one) => values.includes(one[key]);
  if (item.kind === "generate") {
    const differing = some("fail", item.tests.filter((test) => test.differences), "contradicting test", "tests", (test) => test.name);
    const properties = ["violated", "unknown"].flatMap((name) => some(name, item.properties.filter(is("state", name)), "property", "properties", (p) => p.id));
    const errors = ["reached", "unknown"].flatMap((name) => some(name, item.errors ? item.errors.list.filter(is("verdict", name)) : [], "design error", "errors", (e) => e.id));
    return [...differing, ...properties, ...errors, ...["unknown", "tag-only", "masked"].flatMap((name) => some(name, item.coverage.filter(is("state", name)), "obligation", "obligations", (o) => o.id))];
  }
  if (item.kind === "mutate") return some("survived", item.result.results.filter(is("status", "survived")), "mutant", "mutants", (m) => m.id);
  if (item.kind === "run") return ["fail", "error", "inconclusive"].flatMap((name) => some(name, item.result.tests.filter(is("verdict", name)), "test", "timelines", (t) => t.name));
  if (item.kind === "verify") return ["not satisfied", "unknown"].flatMap((name) => some(name, item.result.answers.filter(is("verdict", name)), "question", "answers", (a) => item.result.answers.indexOf(a)));
  if (item.kind === "estimate") return ["not satisfied", "unknown"].flatMap((name) => some(name, item.result.answers.filter(is("verdict", name)), "question", "estimates"));
  if (item.kind === "audit") return some("fail", item.result.findings.filter(is("refuted", true)), "refuted claim", "audit");
  if (item.kind === "mine") return some("fail", item.result.findings, "finding", "machine");
  if (item.kind === "judge") return ["fail", "illegal", "error"].flatMap((name) => some(name, item.result.verdicts.filter(is("verdict", name)), "verdict", "verdicts"));
  return [];
}

function attention() {
  const rows = known.flatMap((entry) => troubles(entry).map(([name, count, link]) => [state(name), h("a", { href: link }, count), h("span", { class: "dim" }, `${entry.kind.name(entry.item)} (${entry.item.from})`)]));
  return rows.length ? [h("h2", null, "Needs attention"), plain(["", "", ""], rows)] : h("p", null, state("pass", "Nothing needs attention."));
}

function summaryPage() {
  const cards = known.map(({ item, number, kind }) => kind.card(item, (path) => address(number, path)));
  return [h("h1", null, report.title), h("p", { class: "dim" }, `Made by Provoke ${report.provoke}. Everything is in this file: it can be kept, mailed and read offline.`),
    h("div", { class: "cards" }, cards), known.length ? attention() : null, known.map(({ item, kind }) => (kind.extra ? kind.extra(item) : null))];
}

/** Requirements with the verdicts of their properties and tests, and which tests witness their obligations. */
function requirementsPage() {
  const item = report.evidence.find((candidate) => candidate.kind === "generate");
  const used = [...new Set(report.requirements.flatMap((requirement) => requirement.tests.map((judged) => judged.test)))].sort((a, b) => a - b);
  const number = report.evidence.indexOf(item);
  const links = linksOf(number);
  const rows = report.requirements.map((requirement) => {
    const obligations = requirement.obligations.map((position) => item.obligations[position]).filter((obligation) => obligation.kind !== "property");
    const counts = tally(obligations, (obligation) => obligation.state, STATES);
    const by = new Map(requirement.tests.map((judged) => [judged.test, judged]));
    const cell = (test) => {
      const judged = by.get(test);
      if (!judged) return h("td", { class: "dim" }, "");
      const differs = Boolean(item.tests[test].differences);
      const told = judged.covers || !judged.linked ? String(judged.covers) : "linked";
      const words = state(judged.verdict || (differs ? "fail" : "visible"), told);
      return h("td", { title: `${plural(judged.covers, "obligation")}${judged.linked ? ", the test names the requirement" : ""}${differs ? ", it contradicts the model" : ""}${judged.verdict ? `, on the target: ${judged.verdict}` : ""}` }, words);
    };
    const nothing = (requirement.properties || []).length ? h("span", { class: "dim" }, "none") : state("unknown", "no obligation refers to it");
    return h("tr", null, h("th", { scope: "row" }, h("b", null, requirement.id), requirement.text ? ` ${requirement.text}` : "", h("div", { class: "dim small mono" }, short(requirement.about.join(", "), 90))),
      h("td", { class: "verdicts" }, propertiesCell(requirement)), h("td", { class: "verdicts" }, testsCell(item, requirement, links)),
      h("td", null, obligations.length ? [bar(counts, true), `${sum(counts, COVERED)} of ${obligations.length} covered`] : nothing), used.map(cell));
  });
  const heads = ["requirement", "properties", "tests", "obligations"].map((head) => h("th", { scope: "col" }, head));
  return [h("h1", null, "Requirements"), h("p", { class: "dim" }, "The verdicts of each requirement's properties and tests, how many of its obligations are visible, and which tests witness them or name the requirement themselves (“linked”). Tests are judged on the target if they ran there, else on the model; the symbol beside a number is the verdict on the target."),
    h("div", { class: "matrix", tabindex: "0" }, h("table", null, h("thead", null, h("tr", null, heads,
      used.map((test) => h("th", { scope: "col" }, h("a", { href: links.test(item.tests[test].name) }, item.tests[test].name))))), h("tbody", null, rows)))];
}

function navigation() {
  const link = (path, title, count) => h("a", { href: path ? `#/${path}` : "#/", "data-path": path }, title, count === null || count === undefined ? "" : h("span", { class: "count" }, count.toLocaleString("en")));
  const parts = [link("", "Summary")];
  if ((report.requirements || []).length) parts.push(link("requirements", "Requirements", report.requirements.length));
  for (const { item, number, kind } of known) {
    parts.push(h("h2", { title: item.from }, kind.name(item)));
    for (const [path, title, count] of kind.pages(item, linksOf(number))) parts.push(link(`${number}/${path}`, title, count));
  }
  document.getElementById("nav").replaceChildren(...parts);
}

/** A page; data that is not as written must not leave the reader with nothing. */
function page(path, rest) {
  try {
    return flat(routes.get(path)(rest));
  } catch (error) {
    return [h("h1", null, "This page cannot be shown"), h("p", null, `The data is not in Provoke's format: ${error.message}`)];
  }
}

function show() {
  if (location.hash === "#main") return document.getElementById("main").focus();
  const parts = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const path = [parts.slice(0, 2).join("/"), parts[0]].find((candidate) => routes.has(candidate)) ?? "";
  const rest = path.includes("/") ? parts.slice(2).join("/") : parts.slice(1).join("/");
  document.getElementById("main").replaceChildren(...page(path, rest || undefined));
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.path === path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

const wanted = window.matchMedia("(prefers-color-scheme: dark)");
let theme = null;
function paintTheme() {
  document.documentElement.dataset.theme = theme || (wanted.matches ? "dark" : "light");
}

function header() {
  const logo = svg("svg", { class: "logo", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: "M2 17h5V7h6v10h4", fill: "none", stroke: "var(--accent)", "stroke-width": 2.4 }), svg("circle", { cx: 20, cy: 17, r: 2.6, fill: "var(--path)" }));
  document.getElementById("top").replaceChildren(logo, h("span", { class: "name" }, report.title), h("span", { class: "dim small" }, `Provoke ${report.provoke}`),
    h("div", { class: "tools" },
      h("button", { title: "light or dark", click: () => { theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; paintTheme(); show(); } }, "◐ theme"),
      h("button", { click: () => window.print() }, "Print")));
}

/** Tables and sources draw what is seen; on paper all of it is. */
function tellAll(kind) {
  for (const element of document.querySelectorAll(".table, .source")) element.dispatchEvent(new Event(kind));
}

window.addEventListener("hashchange", show);
window.addEventListener("beforeprint", () => tellAll("print"));
window.addEventListener("afterprint", () => tellAll("printed"));
wanted.addEventListener("change", () => { paintTheme(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    const table = document.querySelector(".table");
    if (table) { event.preventDefault(); table.focusSearch(); }
  }
});
paintTheme();
header();
navigation();
show();
document.documentElement.dataset.ready = Math.round(performance.now());
