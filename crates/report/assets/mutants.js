// Mutants: survivors first, and why they survived.

const FATES = ["survived", "killed", "equivalent", "invalid"];
const STAGES = ["not reached", "reached", "infected", "propagated"];
const STAGE_WORDS = {
  "not reached": "No test evaluates the changed expression where it matters.",
  reached: "Tests reach it, but the change never makes a difference to the expression's value.",
  infected: "The expression's value differs, but every difference is masked before it leaves the equation.",
  propagated: "The difference spreads to other variables, but never to one that is monitored.",
};

/** The fault without its line, which has a column of its own. */
function change(mutant) {
  return mutant.text.replace(/^line \d+: /, "");
}

function mutateCard(item, link) {
  const { result } = item;
  const counts = tally(result.results, (mutant) => mutant.status, FATES);
  return h("section", { class: "card" }, h("h2", null, "Mutants killed"), h("p", { class: "dim small" }, item.from),
    h("div", { class: "big" }, percent(result.killed, result.killed + result.survived)),
    bar([counts[1], counts[0], counts[2], counts[3]]), legend([counts[1], counts[0], counts[2], counts[3]]),
    h("p", null, h("a", { href: link("mutants") }, plural(result.mutants, "mutant")), `, oracle ${result.oracle}, ${plural(result.tests, "test")}`,
      result.all > result.mutants ? `; a sample of ${result.all}` : ""));
}

function mutantDetail(item, mutant) {
  const { source: text } = item;
  const reached = STAGES.indexOf(mutant.stage);
  return flat([
    h("h2", null, state(mutant.status), " ", h("span", { class: "mono" }, mutant.id)),
    h("p", null, h("span", { class: "mono" }, change(mutant))),
    text ? excerpt(text, mutant.line, mutant.start, mutant.end) : null,
    mutant.stage ? [h("h3", null, "Why it survived"),
      h("ol", { class: "ladder", "aria-label": "how far the fault propagated" }, ["reached", "infected", "propagated", "observed"].map((stage, index) =>
        h("li", { class: index < reached ? "done" : index === reached ? "stop" : null }, index < reached ? "✓ " : "", stage))),
      h("p", null, STAGE_WORDS[mutant.stage]),
      mutant.test ? h("p", { class: "dim" }, `Nearest: test ${mutant.test}, step ${mutant.step}.`) : null] : null,
    mutant.status === "killed" ? h("p", null, `Test ${mutant.test} kills it in step ${mutant.step}.`) : null,
    mutant.killed_by && mutant.killed_by.length > 1 ? h("p", { class: "dim" }, `Killed by ${mutant.killed_by.join(", ")}.`) : null,
    mutant.reason ? h("p", null, mutant.reason) : null,
    facts([["operator", mutant.operator], ["place", `line ${mutant.line}, column ${mutant.column}`]]),
  ]);
}

function mutantsPage(item, id) {
  const mutants = item.result.results;
  if (item.source && !item.placed) {
    item.placed = true;
    const starts = lineStarts(item.source);
    for (const mutant of mutants) {
      mutant.start = offsetOf(item.source, starts, mutant.line, mutant.column);
      mutant.end = mutant.end_line ? offsetOf(item.source, starts, mutant.end_line, mutant.end_column) : mutant.start + 1;
    }
  }
  const detail = h("aside", { class: "detail", "aria-live": "polite" }, h("p", { class: "dim" }, "Choose a mutant."));
  const open = (mutant) => { detail.replaceChildren(...mutantDetail(item, mutant)); detail.scrollTop = 0; };
  const onSource = () => source(item.source, mutants.map((mutant) => ({ start: mutant.start, end: mutant.end, state: mutant.status, of: mutant })), (list) => {
    const rest = [...list].sort((a, b) => FATES.indexOf(a.status) - FATES.indexOf(b.status));
    const show = (mutant) => {
      detail.replaceChildren(h("div", { class: "pairs" }, rest.map((other) => h("button", { "aria-pressed": String(other === mutant), click: () => show(other) }, state(other.status, short(change(other), 44))))), ...mutantDetail(item, mutant));
    };
    show(rest[0]);
  });
  const inTable = () => {
    const table = grid({
      label: "mutants", items: [...mutants].sort((a, b) => FATES.indexOf(a.status) - FATES.indexOf(b.status)), open,
      columns: [
        { name: "status", width: "110px", of: (m) => m.status, show: (m) => state(m.status) },
        { name: "line", width: "52px", of: (m) => m.line },
        { name: "change", width: "minmax(140px, 3fr)", of: change, show: (m) => h("span", { class: "mono" }, change(m)) },
        { name: "operator", width: "90px", of: (m) => m.operator },
        { name: "stage", width: "90px", of: (m) => m.stage || "" },
        { name: "test", width: "minmax(50px, 1fr)", of: (m) => (m.test ? `${m.test}, step ${m.step}` : "") },
      ],
      filters: [{ name: "status", plural: "statuses", of: (m) => m.status, values: FATES, sign: true }, { name: "stage", of: (m) => m.stage || "" }, { name: "operator", of: (m) => m.operator }],
    });
    const first = mutants.find((mutant) => mutant.id === id) || mutants.find((mutant) => mutant.status === "survived");
    if (first) { table.choose(first); open(first); }
    return table;
  };
  const place = h("div");
  const tabs = [["table", inTable], ...(item.source ? [["source", onSource]] : [])];
  const buttons = tabs.map(([name, make]) => h("button", { "aria-pressed": "false", click: () => turn(name, make) }, name === "table" ? "as a table" : "on the source"));
  const turn = (name, make) => {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(tabs[index][0] === name)));
    place.replaceChildren(make());
  };
  turn(...tabs[0]);
  return [h("h1", null, "Mutants"), h("p", { class: "dim" }, `Small faults in ${item.result.model}, and whether the tests kill them. Surviving mutants come first.`),
    operatorsTable(item.result), h("div", { class: "filters" }, buttons), h("div", { class: "split" }, place, detail)];
}

function operatorsTable(result) {
  const rows = result.operators.map((of) => [of.operator, bar([["killed", of.killed], ["survived", of.survived], ["equivalent", of.equivalent]], true),
    String(of.killed), String(of.survived), String(of.equivalent), String(of.invalid), percent(of.killed, of.killed + of.survived)]);
  return h("details", null, h("summary", null, "By operator"), plain(["operator", "share", ">killed", ">survived", ">equivalent", ">invalid", ">score"], rows));
}
