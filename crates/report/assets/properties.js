// The model's own properties: verdicts, which are no coverage, and the runs that violate them.

/** Verdicts, the worst first. */
const PROPERTY_VERDICTS = ["violated", "unknown", "excluded", "holds"];

/** More columns and rows than these nobody reads; the test has all of them as waves. */
const SHOWN_STEPS = 100;
const SHOWN_VARIABLES = 60;

function propertiesCard(run, link) {
  const counts = tally(run.properties, (property) => property.state, PROPERTY_VERDICTS);
  const [name, count] = counts.find(([, number]) => number);
  return h("section", { class: "card" }, h("h2", null, "Properties"), h("p", { class: "dim small" }, run.from),
    h("div", { class: "big" }, state(name, `${count} ${name === "holds" && count !== 1 ? "hold" : name}`)), legend(counts),
    h("p", null, h("a", { href: link("properties") }, plural(run.properties.length, "property"))));
}

function propertiesPage(run, links, id) {
  const detail = h("aside", { class: "detail", "aria-live": "polite" }, h("p", { class: "dim" }, "Choose a property: click it, or use the arrow keys."));
  const open = (property) => {
    detail.replaceChildren(...flat(obligationDetail(run, property, { ...links, open: (other) => { table.choose(other); open(other); } })));
    detail.scrollTop = 0;
    history.replaceState(null, "", links.obligation(property));
  };
  const sorted = [...run.properties].sort((a, b) => PROPERTY_VERDICTS.indexOf(a.state) - PROPERTY_VERDICTS.indexOf(b.state));
  const table = grid({
    label: "properties", items: sorted, open,
    columns: [
      { name: "verdict", width: "100px", of: (p) => p.state, show: (p) => state(p.state) },
      { name: "property", width: "minmax(100px, 1fr)", of: (p) => p.id, show: (p) => h("span", { class: "mono" }, p.id) },
      { name: "formula", width: "minmax(140px, 2fr)", of: formulaOf, show: (p) => h("span", { class: "mono" }, formulaOf(p)) },
      { name: "line", width: "52px", of: (p) => p.line },
      { name: "how", width: "minmax(110px, 1fr)", of: howOf(run) },
      ...(run.hasRequirements ? [{ name: "requirements", width: "minmax(70px, 1fr)", of: (p) => run.requirementsOf(p).map((r) => r.id).join(" ") }] : []),
    ],
    filters: [{ name: "verdict", of: (p) => p.state, values: PROPERTY_VERDICTS, sign: true }],
  });
  const chosen = sorted.find((property) => property.id === id) || sorted.find((property) => property.state === "violated");
  if (chosen) { table.choose(chosen); open(chosen); }
  return [h("h1", null, "Properties"), h("p", { class: "dim" }, `What ${run.model} states with --%PROPERTY. A property holds (proven), is violated by a run, or is unknown.`),
    h("div", { class: "split" }, table, detail)];
}

/** What a property says: a variable alone says it by its equation. */
function formulaOf({ expression, property }) {
  return property && property.definition ? property.definition : expression;
}

const howOf = (run) => (property) => {
  const { proof, witness, depth } = property;
  if (property.state === "violated") return witness ? `in step ${witness.exercised} of ${run.tests[witness.test].name}` : "";
  if (proof) return `proven by ${proof.engine}`;
  return depth ? `no violation in the first ${plural(depth, "step")}` : property.reason || "";
};

/** The steps up to a violation: a column for each step, a row for each variable. */
function counterexampleTable(run, obligation, links) {
  const shown = obligation.property && obligation.property.counterexample;
  if (!shown) return null;
  const steps = shown.formula.length;
  const from = Math.max(0, steps - SHOWN_STEPS);
  const first = shown.first_step + from;
  const kept = [...shown.signals].sort((a, b) => Number(b.read) - Number(a.read)).slice(0, SHOWN_VARIABLES);
  const row = (name, values, read) => h("tr", { class: read ? "read" : null }, h("th", { scope: "row", class: "mono" }, name),
    values.slice(from).map((value, at) => h("td", { class: from + at === steps - 1 ? "mono last" : "mono" }, value)));
  const group = (role, title) => {
    const rows = shown.signals.filter((signal) => signal.role === role && kept.includes(signal));
    return rows.length ? [h("tr", { class: "group" }, h("th", { scope: "rowgroup" }, title), h("td", { colspan: steps - from })), rows.map((signal) => row(signal.name, signal.values, signal.read))] : null;
  };
  const more = (count, what) => (count > 0 ? h("p", { class: "small dim" }, `${plural(count, `more ${what}`)}, see test `, links.test ? h("a", { href: links.test(run.tests[obligation.witness.test].name) }, run.tests[obligation.witness.test].name) : "") : null);
  const view = h("div", { class: "matrix counterexample", tabindex: "0" }, h("table", null,
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "step"), shown.formula.slice(from).map((_, at) => h("th", { scope: "col", class: from + at === steps - 1 ? "last" : null }, String(first + at))))),
    h("tbody", null, group("in", "inputs"), group("out", "monitored"), group("local", "read by the formula"), h("tr", { class: "group" }, h("th", { scope: "rowgroup" }, "property"), h("td", { colspan: steps - from })), row(obligation.id, shown.formula, true))));
  requestAnimationFrame(() => { view.scrollLeft = view.scrollWidth; });
  return [h("h3", null, "Counterexample"), view,
    obligation.witness ? [more(first - 1, "step"), more(shown.signals.length - kept.length, "variable")] : null];
}

/** The verdicts of a requirement's properties, the worst first. */
function propertiesCell(requirement) {
  const all = requirement.properties || [];
  if (!all.length) return h("span", { class: "dim" }, "none");
  const some = (name) => {
    const list = all.filter((property) => property.state === name);
    return list.length ? h("div", null, h("a", { href: address(list[0].evidence, "properties", list[0].id), title: list.map((property) => property.id).join(", ") }, state(name, `${name} ${list.length}`))) : null;
  };
  return PROPERTY_VERDICTS.map(some);
}

/** What the tests of a requirement say: failed at a step, passed, or none. */
function testsCell(run, requirement, links) {
  if (!requirement.tests.length) return h("span", { class: "dim" }, "none");
  const outcome = ({ verdict, failed_step }) => (failed_step ? "fail" : verdict || "pass");
  const of = (name) => requirement.tests.filter((judged) => outcome(judged) === name);
  const failed = of("fail").map((judged) => {
    const { name } = run.tests[judged.test];
    return h("div", null, h("a", { href: links.test(name) }, state("fail", judged.failed_step ? `${name} failed at step ${judged.failed_step}` : `${name} failed`)));
  });
  const counted = (name, word) => (of(name).length ? h("div", null, state(name, `${word} ${of(name).length}`)) : null);
  const listed = failed.slice(0, 3);
  return [listed, failed.length > listed.length ? h("div", null, state("fail", `${failed.length - listed.length} more failed`)) : null,
    counted("error", "error"), counted("inconclusive", "inconclusive"), counted("pass", "passed")];
}
