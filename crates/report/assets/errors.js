// Design errors: operations that go wrong in a machine's numbers, and the runs that reach them.

/** Verdicts, the worst first. */
const ERROR_VERDICTS = ["reached", "unknown", "absent"];

function errorsCard(run, link) {
  const counts = tally(run.errors.list, (error) => error.verdict, ERROR_VERDICTS);
  const [name, count] = counts.find(([, number]) => number) || ["absent", 0];
  return h("section", { class: "card" }, h("h2", null, "Design errors"), h("p", { class: "dim small" }, run.from),
    h("div", { class: "big" }, state(name, `${count} ${name}`)), legend(counts),
    h("p", null, h("a", { href: link("errors") }, plural(run.errors.total, "operation")), ` that may go wrong with ${run.errors.int}-bit integers and ${run.errors.real}`));
}

function errorsPage(run, links, id) {
  const detail = h("aside", { class: "detail", "aria-live": "polite" }, h("p", { class: "dim" }, "Choose a design error: click it, or use the arrow keys."));
  const open = (error) => {
    detail.replaceChildren(...errorDetail(run, error));
    detail.scrollTop = 0;
    history.replaceState(null, "", links.error(error));
  };
  const sorted = [...run.errors.list].sort((a, b) => ERROR_VERDICTS.indexOf(a.verdict) - ERROR_VERDICTS.indexOf(b.verdict));
  const table = grid({
    label: "design errors", items: sorted, open,
    columns: [
      { name: "verdict", width: "100px", of: (e) => e.verdict, show: (e) => state(e.verdict) },
      { name: "kind", width: "100px", of: (e) => e.kind },
      { name: "expression", width: "minmax(140px, 2fr)", of: (e) => e.expression, show: (e) => h("span", { class: "mono" }, e.expression) },
      { name: "instance", width: "minmax(60px, 1fr)", of: (e) => e.instance },
      { name: "line", width: "52px", of: (e) => e.line },
      { name: "how", width: "minmax(110px, 1fr)", of: howOfError },
    ],
    filters: [{ name: "verdict", of: (e) => e.verdict, values: ERROR_VERDICTS, sign: true }, { name: "kind", of: (e) => e.kind }],
  });
  const chosen = sorted.find((error) => error.id === id) || sorted.find((error) => error.verdict === "reached");
  if (chosen) { table.choose(chosen); open(chosen); }
  const inputs = run.errors.unlimited_inputs || [];
  return [h("h1", null, "Design errors"),
    h("p", { class: "dim" }, `Operations of ${run.model} that may go wrong with ${run.errors.int}-bit integers and ${run.errors.real}: reached by a run, absent (proven), or unknown.`),
    inputs.length ? h("p", null, `Inputs without a range that errors depend on: ${inputs.join(", ")}. Declare a subrange, or assert their bounds.`) : null,
    h("div", { class: "split" }, table, detail)];
}

function howOfError({ verdict, step, test, engine, depth, reason }) {
  if (verdict === "reached") return `in step ${step} of ${test}`;
  if (engine) return `proven by ${engine}`;
  return depth ? `not in the first ${plural(depth, "step")}` : reason || "";
}

/** What goes wrong, and the inputs that lead there. */
function errorDetail(run, error) {
  const inputs = error.inputs || [];
  const steps = inputs.length ? inputs[0].values.length : 0;
  const first = Math.max(0, steps - SHOWN_STEPS);
  const head = h("tr", null, h("th", null, "input"), ...Array.from({ length: steps - first }, (_, at) => h("th", null, first + at + 1)));
  const rows = inputs.slice(0, SHOWN_VARIABLES).map((input) => h("tr", null, h("th", { scope: "row", class: "mono" }, input.name), ...input.values.slice(first).map((value) => h("td", { class: "mono" }, value))));
  return flat([
    h("h2", null, state(error.verdict), " ", h("span", { class: "mono" }, error.id)),
    h("p", null, `Line ${error.line}, column ${error.column}${error.instance ? `, in ${error.instance}` : ""}: ${howOfError(error)}.`),
    steps ? h("div", { class: "matrix", tabindex: "0" }, h("table", null, h("thead", null, head), h("tbody", null, rows))) : null,
  ]);
}
