// Timed automata: answers, runs to step through, and probabilities with their intervals.

function verifyCard(item, link) {
  const counts = tally(item.result.answers, (answer) => answer.verdict, ["satisfied", "not satisfied", "unknown"]);
  return h("section", { class: "card" }, h("h2", null, "Timed automata"), h("p", { class: "dim small" }, item.result.model),
    h("div", { class: "big" }, `${counts[0][1]} of ${item.result.answers.length}`), bar(counts), legend(counts),
    h("p", null, h("a", { href: link("answers") }, plural(item.result.answers.length, "question"))));
}

function verifyPage(item, chosen) {
  const detail = h("section", { class: "detail" }, h("p", { class: "dim" }, "Choose a question."));
  const open = (answer) => {
    detail.replaceChildren(...flat([h("h2", null, state(answer.verdict), " ", h("span", { class: "mono" }, answer.query)),
      answer.reason ? h("p", null, answer.reason, answer.line ? ` (line ${answer.line})` : "") : null,
      (answer.values || []).map((value) => h("p", null, value.value === null ? value.kind : `${value.value}, ${value.kind}`)),
      h("p", { class: "dim" }, `${plural(answer.states, "zone")}, ${answer.seconds.toFixed(3)} s`),
      answer.trace ? [h("h3", null, "A run that shows it"), stepper(item, answer.trace)] : h("p", { class: "dim" }, "There is no run to show: the answer is about all of them."),
      !answer.trace && item.picture ? drawing(item).element : null]));
  };
  const table = grid({
    label: "questions", items: item.result.answers, open,
    columns: [
      { name: "verdict", width: "126px", of: (a) => a.verdict, show: (a) => state(a.verdict) },
      { name: "question", width: "minmax(120px, 1fr)", of: (a) => a.query, show: (a) => h("span", { class: "mono" }, a.query) },
      { name: "run", width: "70px", of: (a) => (a.trace ? a.trace.events.length : 0), show: (a) => (a.trace ? plural(a.trace.events.length, "step") : "") },
    ],
    filters: [{ name: "verdict", of: (a) => a.verdict, sign: true }],
  });
  const first = item.result.answers[Number(chosen)] || item.result.answers.find((answer) => answer.trace) || item.result.answers[0];
  if (first) { table.choose(first); open(first); }
  return [h("h1", null, "Timed automata"), h("p", { class: "dim" }, item.result.model),
    h("div", { class: "split", style: "grid-template-columns:minmax(0,34%) minmax(0,1fr)" }, table, detail)];
}

/** The automata, with a way to show where a run is. */
function drawing(item) {
  const element = h("div", { class: "picture", tabindex: "0" });
  element.innerHTML = item.picture;
  const templateOf = new Map(item.templates);
  const all = (kind) => [...element.querySelectorAll(`.${kind}`)];
  return {
    element,
    show(locations, edges) {
      const at = new Set(Object.entries(locations).map(([process, location]) => `${templateOf.get(process)}\u0001${location}`));
      for (const group of all("location")) group.classList.toggle("at", at.has(`${group.dataset.template}\u0001${group.dataset.name}`));
      const taken = new Set(edges.map((edge) => `${templateOf.get(edge.process)}\u0001${edge.from}\u0001${edge.to}`));
      for (const group of all("edge")) group.classList.toggle("at", taken.has(`${group.dataset.template}\u0001${group.dataset.from}\u0001${group.dataset.to}`));
      const first = element.querySelector(".location.at");
      if (first && element.scrollHeight > element.clientHeight) {
        const [box, view] = [first.getBoundingClientRect(), element.getBoundingClientRect()];
        if (box.top < view.top || box.bottom > view.bottom) element.scrollTop += box.top - view.top - view.height / 3;
      }
    },
  };
}

/** A run, one event at a time: buttons, a slider, arrow keys, or by itself. */
function stepper(item, trace) {
  const moments = [{ time: 0, state: trace.initial, edges: [], channel: null, words: "the beginning" },
    ...trace.events.map((event) => ({ time: event.time, state: event, edges: event.edges, channel: event.channel, words: event.edges.map((edge) => `${edge.process}: ${edge.from} → ${edge.to}`).join(", ") })),
    { time: trace.end.time, state: trace.end, edges: [], channel: null, words: "the end" }];
  const picture = item.picture ? drawing(item) : null;
  const now = h("output", { "aria-live": "polite" });
  const says = h("p", null);
  const values = h("div");
  const slider = h("input", { type: "range", min: 0, max: moments.length - 1, value: 0, "aria-label": "moment of the run", input: () => go(Number(slider.value)) });
  let at = 0;
  let timer = null;
  const play = h("button", { class: "play", "aria-pressed": "false", click: () => (timer ? stop() : start()) }, "▶ play");
  const stop = () => { clearInterval(timer); timer = null; play.setAttribute("aria-pressed", "false"); play.textContent = "▶ play"; };
  const start = () => {
    if (at === moments.length - 1) go(0);
    play.setAttribute("aria-pressed", "true");
    play.textContent = "❚❚ stop";
    timer = setInterval(() => { if (!element.isConnected || at === moments.length - 1) stop(); else go(at + 1); }, 900);
  };
  const rowsOf = (kind, moment, before) => Object.entries(moment.state[kind]).map(([name, value]) => {
    const old = before && before.state[kind][name];
    return [h("code", null, name), h("span", { class: before && old !== value ? "changed" : null }, String(value))];
  });
  function go(index) {
    at = Math.max(0, Math.min(moments.length - 1, index));
    const [moment, before] = [moments[at], moments[at - 1]];
    slider.value = at;
    now.textContent = `${at} of ${moments.length - 1}, time ${moment.time}`;
    says.replaceChildren(moment.channel ? h("code", null, moment.channel) : "", ` ${moment.words}`);
    const repeats = trace.repeats_from !== undefined && at === trace.repeats_from + 1;
    if (repeats) says.append(h("em", null, " — from here on the run can repeat for ever"));
    values.replaceChildren(...["locations", "variables", "clocks"].filter((kind) => Object.keys(moment.state[kind]).length)
      .map((kind) => h("div", null, h("h3", null, kind), plain(["name", "value"], rowsOf(kind, moment, before)))));
    if (picture) picture.show(moment.state.locations, moment.edges);
  }
  const element = h("div", { class: "stepper", keydown: (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move && event.target !== slider) { event.preventDefault(); go(at + move); }
  } },
  h("div", { class: "steps" }, h("button", { click: () => go(0), title: "to the beginning" }, "|◀"), h("button", { class: "back", click: () => go(at - 1), title: "back" }, "◀"),
    play, h("button", { class: "next", click: () => go(at + 1), title: "next" }, "▶"), h("button", { click: () => go(moments.length - 1), title: "to the end" }, "▶|"), slider, now),
  says, picture ? picture.element : h("p", { class: "dim" }, "The model's file was not found, so there is no picture."),
  h("div", { style: "display:flex;flex-wrap:wrap;gap:0 2.5rem" }, values));
  values.style.cssText = "display:flex;flex-wrap:wrap;gap:0 2.5rem";
  requestAnimationFrame(() => go(0));
  go(0);
  return element;
}

function estimateCard(item, link) {
  const known = item.result.answers.filter((answer) => answer.low !== undefined);
  const judged = item.result.answers.filter((answer) => answer.verdict);
  const counts = tally(judged, (answer) => answer.verdict, ["satisfied", "not satisfied", "unknown"]);
  return h("section", { class: "card" }, h("h2", null, "Probabilities"), h("p", { class: "dim small" }, item.result.model),
    h("div", { class: "big" }, plural(known.length, "interval")), judged.length ? [bar(counts), legend(counts)] : null,
    h("p", null, h("a", { href: link("estimates") }, plural(item.result.answers.length, "question"))));
}

function estimatePage(item) {
  const rows = item.result.answers.map((answer) => [h("span", { class: "mono" }, answer.query), answer.verdict ? state(answer.verdict) : "",
    answer.low !== undefined ? interval(answer) : "", range(answer), answer.successes !== undefined ? `${answer.successes} of ${answer.runs}` : String(answer.runs), answer.reason || ""]);
  return [h("h1", null, "Probabilities"), h("p", { class: "dim" }, `${item.result.model}, seed ${item.result.seed}. The bar is the interval in which the value lies with the confidence given.`),
    plain(["question", "answer", "interval", "value", ">runs", "remark"], rows, true)];
}

function range(answer) {
  if (answer.low === undefined) return "";
  const digits = (value) => Number(value.toPrecision(4)).toString();
  return `[${digits(answer.low)}, ${digits(answer.high)}], ${100 * answer.confidence} %`;
}

/** An interval on its axis: from 0 to 1 for probabilities, else around it. */
function interval(answer) {
  const isProbability = answer.mean === undefined;
  const reach = answer.high - answer.low || 1;
  const [from, to] = isProbability ? [0, 1] : [answer.low - reach, answer.high + reach];
  const x = (value) => 8 + ((value - from) / (to - from)) * 244;
  const middle = isProbability ? (answer.runs ? answer.successes / answer.runs : answer.low) : answer.mean;
  return svg("svg", { width: 260, height: 30, role: "img", "aria-label": `from ${answer.low} to ${answer.high}` },
    svg("line", { x1: 8, x2: 252, y1: 20, y2: 20, stroke: "var(--line)" }),
    [from, to].map((end, index) => svg("text", { x: x(end), y: 30, "font-size": 9, fill: "var(--dim)", "text-anchor": index ? "end" : "start" }, String(Number(end.toPrecision(3))))),
    svg("rect", { x: x(answer.low), y: 8, width: Math.max(2, x(answer.high) - x(answer.low)), height: 12, fill: "var(--visible)", opacity: .35, stroke: "var(--visible)" }),
    svg("line", { x1: x(middle), x2: x(middle), y1: 5, y2: 23, stroke: "var(--path)", "stroke-width": 2.5 }));
}

function judgeCard(item, link) {
  const { result } = item;
  const counts = [["pass", result.passed], ["fail", result.failed], ["error", result.error]];
  return h("section", { class: "card" }, h("h2", null, "Timed tests"), h("p", { class: "dim small" }, `${result.suite} on ${result.on}`),
    h("div", { class: "big" }, percent(result.passed, result.verdicts.length)), bar(counts), legend(counts),
    h("p", null, h("a", { href: link("verdicts") }, plural(result.verdicts.length, "verdict")), `, oracle ${result.oracle}, ${plural(result.runs, "run")}`));
}

/** Each verdict with the probability that the model predicts and the one that was observed. */
function judgePage(item) {
  const { result } = item;
  const both = (evidence) => (evidence ? [against(evidence), h("div", { class: "small dim" }, `${plural(evidence.successes, "run")} as expected${evidence.differs ? ": they differ" : ""}`)] : "");
  const rows = result.verdicts.map((one) => [state(one.verdict), `${one.test}${one.uio ? `, sequence ${one.uio}` : ""}`, both(one.output), both(one.joint), String(one.runs),
    [one.reason, one.unreliable ? "too few runs to be relied on" : null, one.dependent !== undefined ? `runs depend on each other (p = ${one.dependent})` : null].filter(Boolean).join("; ")]);
  return [h("h1", null, "Timed tests"), h("p", { class: "dim" }, `${result.suite} on ${result.on}, oracle ${result.oracle}. Above the axis is what the model predicts, below it what was observed.`),
    plain(["verdict", "test", "its outputs", "with its sequence", ">runs", "remark"], rows, true)];
}

/** Two intervals of a probability, one above and one below the axis. */
function against({ expected, observed }) {
  const x = (value) => 6 + value * 188;
  const span = ([low, high], y, colour) => svg("rect", { x: x(low), y, width: Math.max(2, x(high) - x(low)), height: 8, fill: colour, opacity: .6, stroke: colour });
  return svg("svg", { width: 200, height: 26, role: "img", "aria-label": `expected ${expected.join(" to ")}, observed ${observed.join(" to ")}` },
    svg("line", { x1: 6, x2: 194, y1: 13, y2: 13, stroke: "var(--dim)" }), span(expected, 3, "var(--visible)"), span(observed, 15, "var(--path)"));
}
