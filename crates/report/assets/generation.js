// Tests and proofs: summary, source, obligations, tests, settings.

const STATES = ["shown", "lasting", "visible", "masked", "redundant", "infeasible", "tag-only", "unknown", "excluded"];
/** What counts as covered; what is covered but masked, where nothing has to be observed. */
const COVERED = ["shown", "lasting", "visible"];

/** The sum of some states. */
function sum(counts, names) {
  return counts.reduce((total, [name, count]) => total + (names.includes(name) ? count : 0), 0);
}

/** How many obligations are covered: what the console says, too. */
function coveredIn(counts, criterion) {
  return sum(counts, criterion.split(",").every((name) => name.startsWith("o")) ? COVERED : [...COVERED, "masked"]);
}

function generationCard(run, link) {
  const counts = tally(run.coverage, (obligation) => obligation.state, STATES);
  const seen = coveredIn(counts, run.criterion);
  const steps = run.tests.reduce((sum, test) => sum + test.steps, 0);
  const feasible = run.coverage.length - sum(counts, ["redundant", "infeasible", "excluded"]);
  const redundant = sum(counts, ["redundant"]);
  return h("section", { class: "card" }, h("h2", null, `Coverage: ${run.criterion}`), h("p", { class: "dim small" }, run.from),
    h("div", { class: "big" }, percent(seen, run.coverage.length)),
    feasible < run.coverage.length ? h("p", { class: "small" }, `${percent(seen, feasible)} of what is feasible`) : null,
    bar(counts), legend(counts),
    redundant * 2 > run.coverage.length ? h("p", { class: "small" }, "Most conditions can be replaced by constants without any monitored variable changing; monitor more with ", h("code", null, "--oracle"), ".") : null,
    h("p", null, h("a", { href: link("obligations") }, plural(run.coverage.length, "obligation")), ", ",
      h("a", { href: link("tests") }, plural(run.tests.length, "test")), `, ${plural(steps, "step")}`));
}

/** Totals by criterion and node, the worst first. */
function coverageByNode(run, go) {
  const parts = new Map();
  for (const obligation of run.coverage) {
    const key = `${obligation.criterion}\u0001${obligation.node}`;
    if (!parts.has(key)) parts.set(key, []);
    parts.get(key).push(obligation);
  }
  const rows = [...parts].map(([key, list]) => {
    const [criterion, node] = key.split("\u0001");
    const counts = tally(list, (obligation) => obligation.state, STATES);
    return { criterion, node, counts, total: list.length, seen: coveredIn(counts, criterion) };
  }).sort((a, b) => a.seen / a.total - b.seen / b.total);
  const used = STATES.filter((name) => rows.some(({ counts }) => sum(counts, [name])));
  const cells = rows.map(({ criterion, node, counts, total, seen }) => [criterion, h("code", null, node), bar(counts, true),
    ...counts.filter(([name]) => used.includes(name)).map(([, count]) => (count ? String(count) : h("span", { class: "dim" }, "0"))), String(total), percent(seen, total)]);
  return plain(["criterion", "node", "share", ...used.map((name) => `>${name}`), ">all", ">covered"], cells);
}

function obligationDetail(run, obligation, links) {
  const { witness, proof } = obligation;
  const twins = run.bySpan.get(`${obligation.start}-${obligation.end}`) || [];
  const test = witness && run.tests[witness.test];
  const path = witness && witness.path;
  return [
    h("h2", null, state(obligation.state), " ", h("span", { class: "mono" }, obligation.id)),
    h("div", { class: "say" }, obligation.says.map((sentence) => h("p", null, prose(sentence)))),
    path && path.length ? h("ol", { class: "path", "aria-label": "effect path" },
      [h("li", { title: "where it is exercised" }, h("code", null, short(obligation.expression, 28)), ` step ${witness.exercised}`),
        ...path.map(([signal, step]) => h("li", null, h("code", null, run.signals[signal].name), ` step ${step}`))]) : null,
    counterexampleTable(run, obligation, links),
    test ? [h("h3", null, "Test ", h("a", { href: links.test(test.name) }, test.name)), waves(run, witness.test, witness, obligation)] : null,
    facts([
      ["place", h("a", { href: links.source(obligation) }, `${run.model}:${obligation.line}, column ${obligation.column}`)],
      ["formula", obligation.kind === "property" ? h("code", null, formulaOf(obligation)) : null],
      ["node", obligation.instance ? `${obligation.node}, instance ${obligation.instance}` : obligation.node],
      ["equation", obligation.kind === "property" ? null : h("code", null, obligation.variable)],
      ["engine", proof && `${proof.engine}, k = ${proof.k}, ${plural(proof.lemmas, "lemma")}`],
      ["requirements", (run.requirementsOf(obligation) || []).length ? run.requirementsOf(obligation).map((requirement) => h("div", null, requirement.id, requirement.text ? `: ${requirement.text}` : "")) : null],
    ]),
    twins.length > 1 ? [h("h3", null, "At the same place"), h("div", { class: "pairs" }, twins.slice(0, 40).map((other) =>
      h("button", { "aria-pressed": String(other === obligation), click: () => links.open(other) }, state(other.state, other.id)))),
      twins.length > 40 ? h("p", { class: "small dim" }, `and ${twins.length - 40} more; the table of obligations has all`) : null] : null,
  ];
}

function short(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function obligationsPage(run, links, id) {
  const detail = h("aside", { class: "detail", "aria-live": "polite" }, h("p", { class: "dim" }, "Choose an obligation: click it, or use the arrow keys."));
  const open = (obligation) => {
    detail.replaceChildren(...flat(obligationDetail(run, obligation, { ...links, open: (other) => { table.choose(other); open(other); } })));
    detail.scrollTop = 0;
    history.replaceState(null, "", links.obligation(obligation));
  };
  const severity = new Map(["unknown", "tag-only", "masked", "redundant", "infeasible", "excluded", "lasting", "visible", "shown"].map((name, index) => [name, index]));
  const table = grid({
    label: "obligations", items: [...run.coverage].sort((a, b) => severity.get(a.state) - severity.get(b.state)), open,
    columns: [
      { name: "state", width: "112px", of: (o) => o.state, show: (o) => state(o.state) },
      { name: "line", width: "52px", of: (o) => o.line },
      { name: "expression", width: "minmax(120px, 2fr)", of: (o) => o.expression, show: (o) => h("span", { class: "mono" }, o.expression) },
      { name: "value", width: "48px", of: (o) => String(o.outcome) },
      { name: "id", width: "minmax(120px, 2fr)", of: (o) => o.id, show: (o) => h("span", { class: "mono" }, o.id) },
      { name: "by", width: "minmax(64px, 1fr)", of: by(run) },
      ...(run.hasRequirements ? [{ name: "requirements", width: "minmax(70px, 1fr)", of: (o) => run.requirementsOf(o).map((r) => r.id).join(" ") }] : []),
    ],
    filters: [
      { name: "state", of: (o) => o.state, values: [...severity.keys()], sign: true },
      { name: "criterion", plural: "criteria", of: (o) => o.criterion },
      { name: "node", of: (o) => o.node },
    ],
  });
  const chosen = id && run.coverage.find((obligation) => obligation.id === id);
  if (chosen) { table.choose(chosen); open(chosen); }
  return [h("h1", null, "Obligations"), h("p", { class: "dim" }, `The obligations of ${run.criterion} on ${run.node}, with their verdicts.`),
    h("div", { class: "split" }, table, detail)];
}

const by = (run) => (obligation) =>
  obligation.redundant ? obligation.redundant.engine : obligation.proof ? `${obligation.proof.engine}` : obligation.witness ? `${run.tests[obligation.witness.test].name}, step ${obligation.witness.exercised}` : "";

function flat(parts) {
  return parts.flat(9).filter(Boolean);
}

function sourcePage(run, links, place) {
  const detail = h("aside", { class: "detail", "aria-live": "polite" },
    h("p", { class: "dim" }, "Choose a marked expression: click it, or step to the next that needs attention with ", h("kbd", null, "n"), " and back with ", h("kbd", null, "p"), "."),
    legend(tally(run.obligations, (o) => o.state, STATES)));
  const items = run.obligations.map((obligation) => ({ start: obligation.start, end: obligation.end, state: obligation.state, of: obligation }));
  const open = (list) => {
    const first = [...list].sort((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state))[0];
    show(first);
  };
  const show = (obligation) => {
    detail.replaceChildren(...flat(obligationDetail(run, obligation, { ...links, open: show })));
    detail.scrollTop = 0;
    history.replaceState(null, "", links.source(obligation));
  };
  const view = source(run.source, items, open);
  const chosen = place && run.obligations.find((obligation) => obligation.id === place);
  if (chosen) { view.show(chosen); show(chosen); } else if (items.length) view.goTo(run.obligations.reduce((least, o) => Math.min(least, o.line), Infinity));
  return [h("h1", null, run.model), h("p", { class: "dim" }, "Every condition is marked with its state; where several obligations meet, with the worst."),
    h("div", { class: "split" }, view, detail)];
}

/** The properties that a test violates. */
function violatedBy(run, test) {
  return run.properties.length ? test.covers.map((position) => run.obligations[position]).filter((o) => o.kind === "property") : [];
}

function testsPage(run, links, name) {
  const detail = h("section", { class: "detail", "aria-live": "polite" }, h("p", { class: "dim" }, "Choose a test."));
  const open = (test) => {
    const index = run.tests.indexOf(test);
    const violated = violatedBy(run, test);
    const covered = test.covers.map((position) => run.obligations[position]).filter((o) => o.kind !== "property");
    const listed = covered.slice(0, 200);
    detail.replaceChildren(...flat([h("h2", null, `Test ${test.name}`),
      h("p", { class: "dim" }, `${plural(test.steps, "step")}; the first witness of ${plural(covered.length, "obligation")}. Values below “monitored” are what ${test.differences ? "the model computes" : "is expected"}.`),
      (test.requirements || []).length ? h("p", null, "For ", test.requirements.join(", "), ".") : null,
      differencesOf(test),
      waves(run, index),
      violated.length ? [h("h3", null, "Violates"), violated.map((o) => h("p", null, h("a", { href: links.obligation(o) }, state("violated", o.id))))] : null,
      h("h3", null, "Witness of"),
      h("div", { class: "pairs" }, listed.map((o) => h("a", { href: links.obligation(o), class: "mono small", style: "margin-right:1rem;display:inline-block" }, o.id)),
        covered.length > listed.length ? h("p", { class: "small dim" }, `and ${covered.length - listed.length} more`) : null)]));
    detail.scrollTop = 0;
    history.replaceState(null, "", links.test(test.name));
  };
  const table = grid({
    label: "tests", items: run.tests, open,
    columns: [
      { name: "test", width: "minmax(80px, 1fr)", of: (t) => t.name },
      { name: "steps", width: "60px", of: (t) => t.steps },
      { name: "witness of", width: "80px", of: (t) => t.covers.length - violatedBy(run, t).length },
      ...(run.tests.some((t) => t.requirements) ? [{ name: "requirements", width: "minmax(70px, 1fr)", of: (t) => (t.requirements || []).join(" ") }] : []),
      ...(run.tests.some((t) => t.differences) ? [{ name: "differs", width: "64px", of: (t) => (t.differences || []).length }] : []),
    ],
  });
  const chosen = run.tests.find((test) => test.name === name) || run.tests[0];
  if (chosen) { table.choose(chosen); open(chosen); }
  return [h("h1", null, "Tests"), h("div", { class: "split", style: "grid-template-columns:minmax(0,300px) minmax(0,1fr)" }, table, detail)];
}

/** Where a test expects something else than the model computes. */
function differencesOf(test) {
  const all = test.differences || [];
  if (!all.length) return null;
  return [h("h3", null, state("fail", `${plural(all.length, "expected value")} not as the model computes`)),
    plain(["step", "variable", "expected", "computed"], all.slice(0, 200).map((one) => [String(one.step), h("code", null, one.variable), one.expected, one.computed])),
    all.length > 200 ? h("p", { class: "small dim" }, `and ${all.length - 200} more`) : null];
}

function settingsPage(run) {
  return [h("h1", null, "Settings"), h("p", { class: "dim" }, "Everything needed to repeat this run."),
    plain(["what", "value"], run.settings.map(([name, value]) => [name, h("span", { class: "mono" }, value)]))];
}
