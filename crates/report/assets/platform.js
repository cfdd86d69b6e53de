// Tests on a target: what was sent, what was due in which window, what came.

const VERDICTS = ["pass", "fail", "inconclusive", "error"];

function runCard(item, link) {
  const { result } = item;
  const counts = [["pass", result.passed], ["fail", result.failed], ["inconclusive", result.inconclusive], ["error", result.error]];
  return h("section", { class: "card" }, h("h2", null, "On the target"), h("p", { class: "dim small" }, `${item.from}: ${result.target}`),
    h("div", { class: "big" }, percent(result.passed, result.interactions)), bar(counts), legend(counts),
    h("p", null, h("a", { href: link("timelines") }, plural((result.tests || []).length, "test")), `, ${plural(result.interactions, "interaction")}, ${result.mode}`));
}

function runPage(item, name) {
  const events = new Map();
  for (const row of item.events) {
    if (!events.has(row[0])) events.set(row[0], []);
    events.get(row[0]).push({ at: Number(row[1]), what: row[2], signal: row[3], value: row[4], step: row[5], from: row[6] ? Number(row[6]) : null, to: row[7] ? Number(row[7]) : null });
  }
  const detail = h("section", { class: "detail", "aria-live": "polite" }, h("p", { class: "dim" }, "Choose a test."));
  const open = (test) => {
    const ill = test.interactions.map((one, index) => ({ ...one, index })).filter((one) => one.verdict !== "pass");
    detail.replaceChildren(...flat([h("h2", null, state(test.verdict), ` Test ${test.name}`),
      h("p", { class: "dim" }, `${plural(test.interactions.length, "interaction")}, ${plural(test.runs, "run")}`),
      events.has(test.name) ? timeline(events.get(test.name)) : h("p", { class: "dim" }, "No events were kept; `provoke run -o FOLDER` keeps them."),
      ill.length ? [h("h3", null, "What was not as expected"), plain([">interaction", "verdict", "why"], ill.slice(0, 100).map((one) => [String(one.index + 1), state(one.verdict), one.reason])),
        ill.length > 100 ? h("p", { class: "small dim" }, `and ${ill.length - 100} more; interactions.csv has all`) : null] : null]));
  };
  const table = grid({
    label: "tests on the target", items: item.result.tests || [], open,
    columns: [
      { name: "verdict", width: "118px", of: (t) => t.verdict, show: (t) => state(t.verdict) },
      { name: "test", width: "minmax(60px, 1fr)", of: (t) => t.name },
      { name: "runs", width: "50px", of: (t) => t.runs },
    ],
    filters: [{ name: "verdict", of: (t) => t.verdict, values: VERDICTS, sign: true }],
  });
  const tests = item.result.tests || [];
  const first = tests.find((test) => test.name === name) || tests.find((test) => test.verdict !== "pass") || tests[0];
  if (first) { table.choose(first); open(first); }
  return [h("h1", null, "On the target"), h("p", { class: "dim" }, `${item.result.suite} on ${item.result.target}, ${item.result.mode}.`),
    h("div", { class: "split", style: "grid-template-columns:minmax(0,320px) minmax(0,1fr)" }, table, detail)];
}

/** One lane for each signal: ▼ sent, a window in which a value is due, ● what came. */
function timeline(events) {
  const inputs = [...new Set(events.filter((event) => event.what === "sent").map((event) => event.signal))];
  const outputs = [...new Set(events.filter((event) => event.what !== "sent").map((event) => event.signal))];
  const low = Math.min(0, ...events.map((event) => event.from ?? event.at));
  const high = Math.max(...events.map((event) => event.to ?? event.at)) + 20;
  const scale = Math.min(2, Math.max(.05, 4200 / (high - low), 7 / gap(events)));
  const width = Math.min(60000, (high - low) * scale + 90);
  const x = (at) => (at - low) * scale + 10;
  const labels = [h("div", { style: `height:${TOP}px;line-height:${TOP}px`, class: "dim" }, "ms")];
  const parts = [];
  let y = TOP;
  for (const [title, names] of [["sent", inputs], ["due and came", outputs]]) {
    if (!names.length) continue;
    labels.push(h("div", { class: "group" }, title));
    y += GROUP;
    for (const name of names) {
      labels.push(h("div", { title: name }, name));
      parts.push(...laneOf(events.filter((event) => event.signal === name), y, x));
      y += LANE;
    }
  }
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 60000].find((ms) => ms * scale >= 70) || 60000;
  const ticks = [];
  for (let at = Math.ceil(low / every) * every; at <= high; at += every) {
    ticks.push(svg("line", { class: "grid-line", x1: x(at), x2: x(at), y1: TOP - 4, y2: y }), svg("text", { class: "tick", x: x(at) + 3, y: 15 }, String(at)));
  }
  return [h("p", { class: "small dim" }, "▼ sent   ▭ the window in which a value is due   ● what came"),
    h("div", { class: "wave" }, h("div", { class: "labels" }, labels), h("div", { class: "view", tabindex: "0" },
      svg("svg", { width, height: y + 4, role: "img", "aria-label": "timeline" }, ticks, parts)))];
}

/** The usual time between different moments, so that they do not lie on each other. */
function gap(events) {
  const moments = [...new Set(events.map((event) => Math.round(event.at / 20)))].sort((a, b) => a - b);
  const gaps = moments.slice(1).map((moment, index) => (moment - moments[index]) * 20).sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 4)] || 100;
}

function laneOf(events, y, x) {
  const middle = y + LANE / 2;
  return events.flatMap((event) => {
    const at = x(event.at);
    const title = svg("title", null, `${event.what} ${event.signal} = ${event.value} at ${event.at.toFixed(1)} ms${event.step ? `, step ${event.step}` : ""}`);
    const label = svg("text", { x: at + 6, y: middle + 4 }, event.value);
    if (event.what === "sent") return [svg("path", { d: `M${at - 5},${middle - 5}L${at + 5},${middle - 5}L${at},${middle + 5}Z`, fill: "var(--wave)" }, title), label];
    if (event.what === "came") return [svg("circle", { cx: at, cy: middle, r: 4.5, fill: "var(--path)" }, title)];
    const [from, to] = event.from !== null ? [x(event.from), x(event.to)] : [at - 2, at + 2];
    return [svg("rect", { class: "bus", x: from, y: y + 4, width: Math.max(3, to - from), height: LANE - 8 }, title), svg("text", { x: from + 4, y: middle + 4, "pointer-events": "none" }, event.value)];
  });
}
