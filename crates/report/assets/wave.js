// A test as waves: inputs, what lies on the way, outputs; the way itself drawn through them.

const LANE = 26;
const GROUP = 20;
const TOP = 24;
const MANY = 24;
const ROLES = [["in", "inputs"], ["out", "monitored"]];
/** With a way to follow, what lies on it comes first. */
const WAY_ROLES = [["local", "on the path"], ["out", "monitored"], ["in", "inputs"]];

/** The waves of a test; `witness` adds the way of an obligation, `all` also what never changes. */
function waves(run, testIndex, witness, obligation) {
  const test = run.tests[testIndex];
  const onWay = new Set((witness && witness.path ? witness.path : []).map(([signal]) => signal));
  const quiet = test.waves.filter((wave) => isQuiet(run, wave, onWay)).length;
  const box = h("div");
  const draw = (all) => box.replaceChildren(
    quiet ? h("p", { class: "small dim" }, h("label", null, h("input", { type: "checkbox", checked: all, change: (event) => draw(event.target.checked) }),
      ` also the ${plural(quiet, "input")} that never change`)) : "",
    picture(run, test, witness, obligation, onWay, all));
  draw(quiet < 1 || test.waves.length <= MANY);
  return box;
}

/** An input that keeps one value says little. */
function isQuiet(run, [signal, runs], onWay) {
  return run.signals[signal].role === "in" && runs.length <= 2 && !onWay.has(signal);
}

function picture(run, test, witness, obligation, onWay, all) {
  const shown = test.waves.filter((wave) => {
    const { role } = run.signals[wave[0]];
    return role === "local" ? onWay.has(wave[0]) : all || !isQuiet(run, wave, onWay);
  });
  const order = [...onWay];
  const place = (signal) => (order.includes(signal) ? order.indexOf(signal) : order.length);
  const width = Math.max(witness ? 24 : 16, Math.min(46, Math.floor(620 / test.steps)));
  const labels = [h("div", { style: `height:${TOP}px;line-height:${TOP}px`, class: "dim" }, "step")];
  const parts = [];
  const lanes = new Map();
  let y = TOP;
  let first = null;
  if (obligation) {
    labels.push(h("div", { class: "on", title: obligation.expression }, `${obligation.expression}`));
    first = y + LANE / 2;
    y += LANE;
  }
  for (const [role, title] of witness ? WAY_ROLES : ROLES) {
    const group = shown.filter((wave) => run.signals[wave[0]].role === role).sort((a, b) => place(a[0]) - place(b[0]));
    if (!group.length) continue;
    labels.push(h("div", { class: "group" }, title));
    y += GROUP;
    for (const [signal, runs] of group) {
      const { name, type } = run.signals[signal];
      labels.push(h("div", { class: onWay.has(signal) ? "on" : null, title: name }, name));
      parts.push(lane(runs, type, y, width));
      lanes.set(signal, y + LANE / 2);
      y += LANE;
      const wrong = ((witness && witness.changed) || []).find(([other]) => other === signal);
      if (wrong) {
        labels.push(h("div", { class: "wrong", title: `${name} if ${obligation.expression} is wrong` }, "↳ if wrong"));
        parts.push(svg("g", { class: "wrong" }, lane(wrong[1], type, y, width)));
        lanes.set(signal, y + LANE / 2);
        y += LANE;
      }
    }
  }
  const back = backdrop(test, witness, y, width);
  const way = witness ? wayOf(witness, obligation, lanes, first, width) : [];
  const image = svg("svg", { width: test.steps * width + 1, height: y + 4, role: "img", "aria-label": `waves of test ${test.name}` }, back, parts, way);
  const view = h("div", { class: "view", tabindex: "0" }, image);
  if (witness) requestAnimationFrame(() => { view.scrollLeft = Math.max(0, (witness.exercised - 4) * width); });
  return h("div", { class: "wave" }, h("div", { class: "labels" }, labels), view);
}

function backdrop(test, witness, height, width) {
  const parts = [];
  if (witness) {
    const last = witness.path && witness.path.length ? witness.path[witness.path.length - 1][1] : (witness.masked || witness.waiting || {}).step || witness.exercised;
    parts.push(svg("rect", { class: "band", x: (witness.exercised - 1) * width, y: 0, width: (last - witness.exercised + 1) * width, height }));
  }
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * width >= 24) || 1000;
  for (let step = 1; step <= test.steps; step++) {
    if (step === 1 || step % every === 0) {
      parts.push(svg("line", { class: "grid-line", x1: (step - 1) * width + .5, x2: (step - 1) * width + .5, y1: TOP - 4, y2: height }));
      parts.push(svg("text", { class: "tick", x: (step - .5) * width, y: 15, "text-anchor": "middle" }, String(step)));
    }
  }
  return parts;
}

/** One signal: a line for what is true or false, boxes with values for the rest. */
function lane(runs, type, y, width) {
  const top = y + 5;
  const low = y + LANE - 5;
  const parts = [];
  let step = 0;
  let line = "";
  for (let at = 0; at < runs.length; at += 2) {
    const value = runs[at];
    const from = step * width;
    step += runs[at + 1];
    const to = step * width;
    if (value === null) {
      parts.push(svg("rect", { class: "open", x: from + 2, y: top + 2, width: Math.max(1, to - from - 4), height: low - top - 4 }));
      line += `M${to},${low}`;
    } else if (type === "bool") {
      const level = value ? top : low;
      line += `${line ? "L" : "M"}${from},${level}L${to},${level}`;
      if (value) parts.push(svg("rect", { class: "high", x: from, y: top, width: to - from, height: low - top }));
    } else {
      parts.push(...box(String(value), from, to, top, low));
    }
  }
  if (line) parts.push(svg("path", { class: "level", d: line }));
  return parts;
}

function box(text, from, to, top, low) {
  const middle = (top + low) / 2;
  const cut = Math.min(4, (to - from) / 4);
  const points = [[from, middle], [from + cut, top], [to - cut, top], [to, middle], [to - cut, low], [from + cut, low]];
  const room = Math.floor((to - from - 6) / 6.7);
  const shown = text.length <= room ? text : room >= 2 ? `${text.slice(0, room - 1)}…` : "";
  return [svg("polygon", { class: "bus", points: points.map((point) => point.join(",")).join(" ") }, svg("title", null, text)),
    shown ? svg("text", { x: (from + to) / 2, y: middle + 4, "text-anchor": "middle", "pointer-events": "none" }, shown) : null];
}

/** The way from where the obligation is exercised to where it is seen, or to where it ends. */
function wayOf(witness, obligation, lanes, first, width) {
  const at = (step) => (step - .5) * width;
  const stops = [];
  if (first !== null) stops.push([at(witness.exercised), first]);
  for (const [signal, step] of witness.path || []) {
    if (lanes.has(signal)) stops.push([at(step), lanes.get(signal)]);
  }
  const end = witness.masked || witness.waiting;
  if (end && first !== null && end.step > witness.exercised) stops.push([at(end.step), first]);
  const curve = (from, to) => {
    const bend = Math.max(10, Math.abs(to[1] - from[1]) / 3);
    return from[0] === to[0]
      ? `M${from}C${from[0] + bend},${from[1]} ${to[0] + bend},${to[1]} ${to}`
      : `M${from}C${(from[0] + to[0]) / 2},${from[1]} ${(from[0] + to[0]) / 2},${to[1]} ${to}`;
  };
  const parts = [];
  for (let index = 1; index < stops.length; index++) parts.push(svg("path", { class: "way", d: curve(stops[index - 1], stops[index]) }));
  stops.forEach(([x, y], index) => {
    const last = index === stops.length - 1;
    if (last && end) {
      parts.push(svg("path", { class: "cross", d: `M${x - 5},${y - 5}L${x + 5},${y + 5}M${x - 5},${y + 5}L${x + 5},${y - 5}` }, svg("title", null, "masked here")));
    } else {
      parts.push(svg("circle", { class: last && witness.path ? "stop end" : "stop", cx: x, cy: y, r: 4.5 }));
    }
  });
  return parts;
}
