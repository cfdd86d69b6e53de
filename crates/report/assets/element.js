// Elements, words and signs that all pages share.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes, handlers (functions) and children. */
function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for pictures. */
function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Text in which what stands between backticks is code. */
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", null, part) : part));
}

const SIGNS = {
  visible: "●", masked: "◐", infeasible: "⊘", unknown: "?", excluded: "–",
  shown: "●", lasting: "◉", redundant: "≡", "tag-only": "◌",
  killed: "●", survived: "?", equivalent: "≡", invalid: "–",
  pass: "✓", fail: "✗", illegal: "✗", inconclusive: "◐", error: "!",
  satisfied: "✓", "not satisfied": "✗", violated: "✗", holds: "✓",
  reached: "✗", absent: "✓",
};

const MEANINGS = {
  visible: "covered and visible", masked: "covered but masked", infeasible: "infeasible, proven",
  shown: "shown", lasting: "lasting", redundant: "redundant, proven", "tag-only": "tag-only",
  unknown: "unknown", excluded: "excluded", killed: "killed", survived: "survived",
  equivalent: "equivalent, proven", invalid: "invalid", violated: "violated", holds: "holds, proven",
  reached: "reached by a run", absent: "absent, proven",
};

/** A state with its sign, in its colour. */
function state(name, words) {
  const kind = { "not satisfied": "fail", illegal: "fail", holds: "visible", reached: "fail", absent: "visible" }[name] || name;
  return h("span", { class: `state s-${kind}` }, h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[name] || "·"), words || name);
}

/** Shares of a whole as a bar; `counts` is a list of [state, number]. */
function bar(counts, thin) {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const label = counts.filter(([, count]) => count).map(([name, count]) => `${count} ${name}`).join(", ");
  const parts = counts.filter(([, count]) => count).map(([name, count]) =>
    h("span", { class: `of-${name.replace("not satisfied", "fail")}`, style: `flex:${count} 0 0`, title: `${count} ${MEANINGS[name] || name}` }));
  return h("div", { class: thin ? "bar thin" : "bar", role: "img", "aria-label": total ? label : "nothing" }, parts);
}

function legend(counts) {
  const item = ([name, count]) => h("li", null, state(name, [h("b", null, String(count)), " ", MEANINGS[name] || name]));
  return h("ul", { class: "legend" }, counts.filter(([, count]) => count).map(item));
}

/** How often each of `names` occurs. */
function tally(items, of, names) {
  const counts = new Map(names.map((name) => [name, 0]));
  for (const item of items) counts.set(of(item), (counts.get(of(item)) || 0) + 1);
  return [...counts];
}

/** In per cent, cut and never rounded up: 100 means all. */
function percent(part, whole) {
  return whole ? (Math.floor((part * 10000) / whole) / 100).toFixed(part === whole ? 0 : 1) + " %" : "–";
}

function plural(count, word) {
  const words = word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? word : words}`;
}

function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return h("dl", { class: "facts" }, known.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

/** A table that needs no more than its rows. */
function plain(heads, rows, wide) {
  const right = (index) => ({ class: heads[index].startsWith(">") ? "right" : null });
  return h("table", { class: wide ? "plain wide" : "plain" },
    h("thead", null, h("tr", null, heads.map((head, index) => h("th", { scope: "col", ...right(index) }, head.replace(">", ""))))),
    h("tbody", null, rows.map((row) => h("tr", null, row.map((cell, index) => h("td", right(index), cell))))));
}

/** The offset of each line's start; a last one behind the end. */
function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The place of a line and column, both from 1, columns in characters. */
function offsetOf(text, starts, line, column) {
  const start = starts[line - 1] ?? text.length;
  let at = start;
  for (let left = column - 1; left > 0 && at < text.length; left--) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}
