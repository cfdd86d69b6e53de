// A table that draws only the rows that are seen, with search, filters and order.

const ROW = 30;
const PRINTED = 2000;

/**
 * columns: [{name, width, of(item) -> text to search and sort, show(item) -> cell}]
 * filters: [{name, of(item) -> value, values, sign}]; open(item) is called when a row is chosen.
 */
function grid({ label, items, columns, filters = [], open, order }) {
  const chosen = filters.map(() => null);
  let sorted = order || null;
  let shown = items;
  let selected = -1;
  const texts = new Map();
  const textOf = (item) => {
    if (!texts.has(item)) texts.set(item, columns.map((column) => column.of(item)).join("\u0001").toLowerCase());
    return texts.get(item);
  };
  const template = `grid-template-columns:${columns.map((column) => column.width).join(" ")}`;
  const search = h("input", { type: "search", placeholder: "Search   /", "aria-label": `Search ${label}`, input: () => update() });
  const count = h("span", { class: "dim small", role: "status" });
  const tall = h("div", { class: "tall", role: "rowgroup" });
  const scroll = h("div", { class: "scroll", tabindex: "0", role: "presentation", scroll: () => draw(), keydown: keys }, tall);
  const heads = columns.map((column, index) => h("button", { role: "columnheader", title: `Sort by ${column.name}`, click: () => sortBy(index) }, column.name));
  const box = h("div", { class: "grid", role: "grid", "aria-label": label, "aria-rowcount": items.length },
    h("div", { class: "head", role: "row", style: template }, heads), scroll);

  function chips(filter, index) {
    const counts = tally(items, filter.of, []).filter(([name]) => name !== "");
    const order = filter.values ? filter.values.filter((value) => counts.some(([name]) => name === value)) : counts.map(([name]) => name).sort();
    if (order.length < 2) return null;
    if (order.length > 6) {
      const options = order.map((value) => h("option", { value }, value));
      return h("select", { "aria-label": filter.name, change: (event) => choose(index, event.target.value || null) },
        h("option", { value: "" }, `all ${filter.plural || `${filter.name}s`}`), options);
    }
    const numbers = new Map(counts);
    const chip = (value) => h("button", { "aria-pressed": "false", "data-filter": value, click: (event) => toggle(index, value, event.currentTarget) },
      filter.sign ? state(value, `${value} ${numbers.get(value)}`) : `${value} ${numbers.get(value)}`);
    return h("div", { class: "chips", role: "group", "aria-label": filter.name }, order.map(chip));
  }

  function toggle(index, value, button) {
    const on = chosen[index] !== value;
    for (const other of button.parentNode.children) other.setAttribute("aria-pressed", String(on && other === button));
    choose(index, on ? value : null);
  }

  function choose(index, value) {
    chosen[index] = value;
    update();
  }

  function sortBy(index) {
    sorted = sorted && sorted.index === index && !sorted.down ? { index, down: true } : { index, down: false };
    update();
  }

  function update(keep) {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = keep ? shown[selected] : null;
    shown = items.filter((item) =>
      filters.every((filter, index) => chosen[index] === null || filter.of(item) === chosen[index]) &&
      words.every((word) => textOf(item).includes(word)));
    if (sorted) {
      const { of } = columns[sorted.index];
      const sign = sorted.down ? -1 : 1;
      const compare = new Intl.Collator("en", { numeric: true }).compare;
      shown = shown.map((item, index) => [of(item), index, item])
        .sort((a, b) => sign * (typeof a[0] === "number" ? a[0] - b[0] : compare(a[0], b[0])) || a[1] - b[1])
        .map(([, , item]) => item);
    }
    heads.forEach((head, index) => {
      const on = sorted && sorted.index === index;
      if (on) head.setAttribute("data-order", sorted.down ? "down" : "up");
      else head.removeAttribute("data-order");
      head.setAttribute("aria-sort", on ? (sorted.down ? "descending" : "ascending") : "none");
    });
    selected = kept ? shown.indexOf(kept) : -1;
    count.textContent = shown.length === items.length ? plural(items.length, "row") : `${shown.length.toLocaleString("en")} of ${plural(items.length, "row")}`;
    tall.style.height = `${Math.max(shown.length * ROW, 40)}px`;
    draw();
  }

  function row(index, printed) {
    const item = shown[index];
    return h("div", {
      class: printed ? "row printed" : "row", role: "row", "aria-rowindex": index + 1, "aria-selected": String(index === selected),
      style: printed ? template : `${template};top:${index * ROW}px`, click: () => select(index),
    }, columns.map((column) => h("div", { role: "gridcell", title: String(column.of(item)) }, column.show ? column.show(item) : String(column.of(item)))));
  }

  function draw() {
    if (!shown.length) return tall.replaceChildren(h("div", { class: "none" }, "Nothing matches."));
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 6);
    const last = Math.min(shown.length, first + Math.ceil((scroll.clientHeight || 640) / ROW) + 12);
    const rows = [];
    for (let index = first; index < last; index++) rows.push(row(index));
    tall.replaceChildren(...rows);
  }

  /** Every row, for paper: as many as anyone would print. */
  function drawAll() {
    const rows = shown.slice(0, PRINTED).map((_, index) => row(index, true));
    const rest = shown.length - rows.length;
    if (rest > 0) rows.push(h("p", null, `… and ${plural(rest, "row")} more, which are in the file but not on paper.`));
    tall.style.height = "auto";
    tall.replaceChildren(...rows);
  }

  function select(index, quiet) {
    if (index < 0 || index >= shown.length) return;
    selected = index;
    const top = index * ROW;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + ROW - scroll.clientHeight;
    draw();
    if (!quiet && open) open(shown[index]);
  }

  function keys(event) {
    const page = Math.max(1, Math.floor(scroll.clientHeight / ROW) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    select(Math.max(0, Math.min(shown.length - 1, selected + moves[event.key])));
  }

  const element = h("div", { class: "table" }, h("div", { class: "filters" }, search, filters.map(chips), count), box);
  element.focusSearch = () => search.focus();
  element.choose = (item) => {
    const at = shown.indexOf(item);
    requestAnimationFrame(() => select(at < 0 ? items.indexOf(item) : at, true));
  };
  element.addEventListener("print", drawAll);
  element.addEventListener("printed", () => update(true));
  requestAnimationFrame(() => update(true));
  update();
  return element;
}
