// Programs that were mined: the machine as a picture, what is covered, what is wrong.

function mineCard(item, link) {
  const { result } = item;
  const { outcomes } = result.coverage || {};
  return h("section", { class: "card" }, h("h2", null, "Mined state machine"), h("p", { class: "dim small" }, `${item.from}: ${result.target}`),
    h("div", { class: "big" }, outcomes ? percent(outcomes.covered, outcomes.total) : plural(result.states, "state")),
    outcomes ? [bar([["visible", outcomes.covered], ["unknown", outcomes.total - outcomes.covered]]),
      h("p", null, `${outcomes.covered} of ${outcomes.total} outcomes of the code, ${plural(result.states, "state")}`)] : null,
    h("p", null, reach(result)),
    h("p", null, h("a", { href: link("machine") }, plural(result.transitions, "transition")), `, ${plural(result.tests, "test")} with ${plural(result.vectors, "vector")}`,
      result.findings.length ? [", ", state("fail", plural(result.findings.length, "finding"))] : ""));
}

/** How far the search went, without saying more than is known. */
function reach(result) {
  return { proven: "Closed: it is proven that nothing more is reachable.", values: "Closed over the values that were tried, which is not a proof." }[result.closure] || "Not closed: there may be more.";
}

function minePage(item) {
  const { result } = item;
  const counts = Object.entries(result.coverage || {}).filter(([, count]) => count && count.total !== undefined);
  const rows = counts.map(([name, { covered, total }]) => [name === "mcdc" ? "MC/DC" : name, bar([["visible", covered], ["unknown", total - covered]], true), `${covered} of ${total}`, percent(covered, total)]);
  return [h("h1", null, "Mined state machine"), h("p", { class: "dim" }, `${result.target}: ${result.method}, ${plural(result.steps, "step")}, seed ${result.seed}, ${result.seconds} s.`),
    h("p", null, reach(result)), (result.notes || []).map((note) => h("p", null, note)),
    result.findings.length ? [h("h2", null, "Findings"), plain(["kind", "what happens", "test", ">steps"], result.findings.map((found) => [state("fail", found.kind), found.text, found.test, String(found.steps)])),
      result.more_findings ? h("p", { class: "dim" }, `and ${plural(result.more_findings, "finding")} like these`) : null] : null,
    result.differences ? [h("h2", null, `Changed behaviour: ${result.differences.count}`), h("ul", null, result.differences.listed.map((text) => h("li", { class: "mono" }, text)))] : null,
    rows.length ? [h("h2", null, `Code coverage, by ${result.coverage.tool}`), plain(["what", "share", ">covered", ">"], rows)] : null,
    result.coverage && result.coverage.missing.length ? h("details", null, h("summary", null, "Not covered"), h("ul", null, result.coverage.missing.map((text) => h("li", { class: "mono" }, text)))) : null,
    item.machines.map(([name, picture]) => [h("h2", null, name === "exact" ? "The minimal equivalent state machine" : "The state machine over outputs"),
      // As an image, so that nothing in a file from elsewhere can act.
      h("div", { class: "picture", tabindex: "0" }, h("img", { alt: `the machine ${name}`, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}` }))])];
}
