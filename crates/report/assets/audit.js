// Claims that another program has checked again.

function auditCounts(result) {
  return [["pass", result.confirmed], ["fail", result.refuted], ["unknown", result.unconfirmed]];
}

function auditCard(item, link) {
  const { result } = item;
  return h("section", { class: "card" }, h("h2", null, "Claims checked again"), h("p", { class: "dim small" }, item.from),
    h("div", { class: "big" }, percent(result.confirmed, result.claims)),
    bar(auditCounts(result)),
    h("p", null, `${result.confirmed} of ${plural(result.claims, "claim")} confirmed, ${result.refuted} refuted, ${result.unconfirmed} unconfirmed`),
    h("p", null, h("a", { href: link("audit") }, "What was checked, and how")));
}

function auditPage(item) {
  const { result } = item;
  const rows = result.kinds.map((kind) => [kind.verdict, String(kind.claims), String(kind.confirmed), String(kind.refuted), String(kind.unconfirmed)]);
  const flat = result.flattening;
  const found = result.findings.map((one) => [state(one.refuted ? "fail" : "unknown", one.refuted ? "refuted" : one.kind), one.verdict || "", h("span", { class: "mono" }, one.id), one.reason]);
  return [h("h1", null, "Claims checked again"),
    h("p", { class: "dim" }, "By code that shares no simulator, no encoder and no prover with the code that made the claims."),
    plain(["claim", ">claims", ">confirmed", ">refuted", ">unconfirmed"], rows),
    facts([["tests run again", `${result.tests} with ${plural(result.steps, "step")}`],
      ["flat model", flat.difference ? flat.difference : `the same in ${plural(flat.steps, "random step")}`],
      ["solver", result.solver || "none was needed"], ["by Z3 alone", String(result.by_z3_alone)]]),
    found.length ? [h("h2", null, "Refuted and unconfirmed claims"), plain(["", "claim", "of", "why"], found.slice(0, 500)),
      found.length > 500 ? h("p", { class: "dim" }, `and ${found.length - 500} more in audit.json`) : null] : null];
}
