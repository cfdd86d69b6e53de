// The text of the model with marks; only the lines that are seen are drawn.

const HEIGHT = 20;
const CHUNK = 100;
const WORST = ["violated", "unknown", "tag-only", "survived", "masked", "redundant", "infeasible", "equivalent", "excluded", "invalid", "holds", "lasting", "visible", "shown", "killed"];
const WORDS = /--[^\n]*|\(\*[\s\S]*?\*\)|\b(?:node|function|returns|var|let|tel|type|const|if|then|else|and|or|not|xor|pre|assert|enum|struct|true|false|bool|int|real|condact|div|mod|when|current|fby|every|automaton|state|until|unless|merge|subrange|of)\b/g;

function worst(states) {
  return WORST.find((name) => states.includes(name)) || "visible";
}

/** items: [{start, end, state, of}]; open(list of `of`) is called when a mark is chosen. */
function source(text, items, open) {
  const starts = lineStarts(text);
  const groups = new Map();
  for (const item of items) {
    const key = `${item.start}-${item.end}`;
    if (!groups.has(key)) groups.set(key, { start: item.start, end: item.end, of: [], states: [] });
    groups.get(key).of.push(item.of);
    groups.get(key).states.push(item.state);
  }
  const marks = [...groups.values()].sort((a, b) => a.start - b.start || b.end - a.end);
  const lines = starts.map(() => []);
  for (const mark of marks) {
    mark.state = worst(mark.states);
    mark.line = lineAt(starts, mark.start);
    for (let line = mark.line; line < starts.length && starts[line] < mark.end; line++) lines[line].push(mark);
  }
  const words = coloured(text);
  const scroll = h("div", { class: "scroll", tabindex: "0", "aria-label": "source", keydown: keys });
  const chunks = [];
  for (let from = 0; from < starts.length; from += CHUNK) {
    const to = Math.min(starts.length, from + CHUNK);
    const chunk = h("div", { class: "chunk", style: `height:${(to - from) * HEIGHT}px` });
    chunk.drawn = false;
    chunk.draw = () => {
      if (chunk.drawn) return;
      chunk.drawn = true;
      for (let line = from; line < to; line++) chunk.append(lineOf(line));
    };
    chunks.push(chunk);
  }
  scroll.append(...chunks);
  const watcher = new IntersectionObserver((seen) => seen.forEach((entry) => entry.isIntersecting && entry.target.draw()), { root: scroll, rootMargin: "400px" });
  chunks.forEach((chunk) => watcher.observe(chunk));
  const strip = h("canvas", { width: 14, height: 600, title: "overview", click: (event) => { scroll.scrollTop = (event.offsetY / strip.clientHeight) * scroll.scrollHeight - scroll.clientHeight / 2; } });
  let at = null;
  let current = null;

  function lineOf(line) {
    const end = line + 1 < starts.length ? starts[line + 1] - 1 : text.length;
    const own = lines[line].filter((mark) => mark.line === line);
    const sign = own.length ? worst(own.map((mark) => mark.state)) : null;
    return h("div", { class: at === line ? "ln at" : "ln", "data-line": line + 1 },
      h("span", { class: "no" }, h("span", { class: sign ? `s-${sign}` : null, title: sign ? MEANINGS[sign] : null }, sign ? SIGNS[sign] : ""), String(line + 1)),
      h("span", { class: "tx" }, pieces(starts[line], end, lines[line])));
  }

  /** The text from one place to another, with marks inside each other. */
  function pieces(from, to, inside) {
    const found = [];
    let place = from;
    for (let index = 0; index < inside.length; index++) {
      const mark = inside[index];
      if (mark.start >= to || mark.end <= place) continue;
      const [low, high] = [Math.max(mark.start, place), Math.min(mark.end, to)];
      found.push(...words(place, low));
      const within = [];
      while (index + 1 < inside.length && inside[index + 1].end <= mark.end && inside[index + 1].start >= mark.start) within.push(inside[++index]);
      const element = h("mark", {
        class: `m-${mark.state}${current === mark ? " at" : ""}`, tabindex: mark.start >= from ? "0" : null, role: "button",
        title: `${SIGNS[mark.state]} ${MEANINGS[mark.state] || mark.state}`,
        click: (event) => { event.stopPropagation(); choose(mark); },
        keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); choose(mark); } },
      }, pieces(low, high, within));
      element.mark = mark;
      found.push(element);
      place = high;
    }
    found.push(...words(place, to));
    return found;
  }

  function choose(mark) {
    show(mark, true);
    open(mark.of);
  }

  function show(mark, quiet) {
    current = mark;
    goTo(mark.line + 1, quiet);
    for (const element of scroll.querySelectorAll("mark")) element.classList.toggle("at", element.mark === mark);
  }

  function goTo(line, quiet) {
    at = line - 1;
    const top = at * HEIGHT;
    if (!quiet || top < scroll.scrollTop || top > scroll.scrollTop + scroll.clientHeight - HEIGHT) scroll.scrollTop = top - scroll.clientHeight / 3;
    chunks[Math.floor(at / CHUNK)]?.draw();
    for (const element of scroll.querySelectorAll(".ln.at")) element.classList.remove("at");
    scroll.querySelector(`[data-line="${line}"]`)?.classList.add("at");
  }

  /** With n and p to the next and the last mark that is not well. */
  function keys(event) {
    if (event.key !== "n" && event.key !== "p") return;
    const ill = marks.filter((mark) => !["visible", "shown", "lasting", "killed", "holds"].includes(mark.state));
    if (!ill.length) return;
    const place = current ? current.start : -1;
    const next = event.key === "n" ? ill.find((mark) => mark.start > place) || ill[0] : ill.filter((mark) => mark.start < place).pop() || ill[ill.length - 1];
    choose(next);
  }

  function paint() {
    const style = getComputedStyle(document.documentElement);
    const pen = strip.getContext("2d");
    strip.height = Math.max(100, strip.clientHeight);
    for (const name of [...WORST].reverse()) {
      pen.fillStyle = style.getPropertyValue({ survived: "--unknown", equivalent: "--infeasible", invalid: "--excluded", killed: "--visible", violated: "--fail", holds: "--visible", shown: "--visible", lasting: "--visible", redundant: "--infeasible", "tag-only": "--masked" }[name] || `--${name}`);
      for (const mark of marks) {
        if (mark.state === name) pen.fillRect(2, Math.floor((mark.line / starts.length) * strip.height), 10, Math.max(2, strip.height / starts.length));
      }
    }
  }

  const element = h("div", { class: "source" }, scroll, strip);
  element.show = (of) => {
    const mark = marks.find((candidate) => candidate.of.includes(of));
    if (mark) requestAnimationFrame(() => show(mark));
  };
  element.goTo = (line) => requestAnimationFrame(() => goTo(line));
  element.addEventListener("print", () => chunks.forEach((chunk) => chunk.draw()));
  requestAnimationFrame(paint);
  return element;
}

function lineAt(starts, offset) {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A function that gives a part of the text with keywords and comments told apart. */
function coloured(text) {
  const found = [...text.matchAll(WORDS)].map((match) => [match.index, match.index + match[0].length, match[0].startsWith("--") || match[0].startsWith("(*") ? "cm" : "kw"]);
  const ends = found.map(([, end]) => end);
  return (from, to) => {
    if (from >= to) return [];
    let [low, high] = [0, found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] <= from) low = middle + 1;
      else high = middle;
    }
    const parts = [];
    let place = from;
    for (; low < found.length && found[low][0] < to; low++) {
      const [start, end, kind] = found[low];
      const [a, b] = [Math.max(start, place), Math.min(end, to)];
      if (a > place) parts.push(text.slice(place, a));
      parts.push(h("span", { class: kind }, text.slice(a, b)));
      place = b;
    }
    if (place < to) parts.push(text.slice(place, to));
    return parts;
  };
}

/** A few lines around a place, which is marked. */
function excerpt(text, line, from, to) {
  const starts = lineStarts(text);
  const rows = [];
  const last = Math.min(starts.length, line + 3);
  for (let number = Math.max(1, line - 3); number <= last; number++) {
    const [start, end] = [starts[number - 1], number < starts.length ? starts[number] - 1 : text.length];
    const [a, b] = [Math.max(start, Math.min(from, end)), Math.max(start, Math.min(to, end))];
    rows.push(h("span", { class: "no" }, String(number)), text.slice(start, a), b > a ? h("mark", { class: "m-survived" }, text.slice(a, b)) : "", text.slice(b, end), "\n");
  }
  return h("pre", { class: "excerpt" }, rows);
}
