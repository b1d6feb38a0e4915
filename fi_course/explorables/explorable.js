// Draws an explorable: native controls, one sentence, a scene in SVG, a table. Nothing is computed
// here: Python made every state (see explorable.py). Marks, frames and rows are indices into `pool`.

const FONT = 12.5; // px
// measures words, for room on axes and in boxes
const RULER = document.createElement("canvas").getContext("2d");
const LINE = 15; // px from one line of text to the next
const FINGER = 44; // px that a handle is wide and high at least

export default { render };

function render({ model, el }) {
  followLinks();
  const view = { model, id: "x" + Math.random().toString(36).slice(2, 9) };
  view.controls = model.get("controls").map((control, i) => makeControl(view, control, i));
  view.sentence = html("p", { class: "explorable-sentence", "aria-live": "polite" });
  view.goal = html("p", { class: "explorable-goal", role: "status" });
  view.scene = html("div", { class: "explorable-scene" });
  view.legend = html("p", { class: "explorable-legend" });
  view.table = html("div",
    { class: "explorable-table", tabindex: 0, role: "group",
      "aria-label": "The picture as a table" });
  const root = html("div", { class: "explorable", role: "group", "aria-labelledby": view.id },
    html("p", { class: "explorable-title", id: view.id }, model.get("title")),
    view.goal,
    html("div", { class: "explorable-controls" },
      ...view.controls.map((control) => control.element)),
    view.sentence, view.scene, view.legend,
    html("details", {}, field("summary", {}, "Show as a table"), view.table));
  const controls = model.get("controls");
  // for links in the text: what the controls offer now, and how to move one
  root.explorable = {
    get labels() {
      const offered = controls.map(({ name, labels }) =>
        [name, (view.state.options || {})[name] ?? labels]);
      return Object.fromEntries(offered.map(([name, labels]) => [name, listed(labels).labels]));
    },
    set: (name, position) =>
      move(view, controls.findIndex((control) => control.name === name), position),
  };
  el.append(root);

  const moved = () => show(view);
  model.on("change:positions", moved);
  const resized = new ResizeObserver(() => view.width !== roomOf(view) && drawScene(view));
  resized.observe(root);
  show(view);
  return () => {
    resized.disconnect();
    model.off("change:positions", moved);
  };
}

// ---- which state is shown -----------------------------------------------------------------------

function move(view, i, position) {
  view.moved = true;
  const at = [...view.model.get("positions")];
  at[i] = position;
  view.model.set("positions", possible(view.model, at));
  view.model.save_changes();
}

// Options may depend on earlier controls: later ones go back to their first option
// where theirs is gone.
function possible(model, at) {
  at = [...at];
  for (let k = at.length - 1; k >= 0 && !stateAt(model, at); k--) at[k] = 0;
  return at;
}

function stateAt(model, at) {
  const index = model.get("controls").reduce(
    (sum, control, i) => sum * control.labels.length + at[i], 0);
  return model.get("states")[index];
}

function show(view) {
  const { model } = view;
  view.state = stateAt(model, possible(model, model.get("positions")));
  view.sentence.textContent = view.state.sentence;
  showGoal(view);
  view.controls.forEach((control) => control.update((view.state.options || {})[control.name]));
  drawScene(view);
  drawTable(view);
}

// The task, until a state reaches it; from then on what was found stays.
function showGoal(view) {
  const { goal } = view, task = view.model.get("goal");
  if (!task || goal.classList.contains("reached")) return;
  goal.classList.toggle("reached", Boolean(view.state.reached));
  goal.textContent = view.state.reached ? `Reached: ${task}` : `Your task: ${task}`;
}

// ---- controls: native inputs, so that keyboard, touch and screen readers work -------------------

function makeControl(view, control, i) {
  const id = `${view.id}-${i}`;
  const go = (position) => move(view, i, position);
  const at = () => view.model.get("positions")[i];
  const make = { slider: makeSlider, select: makeSelect, radio: makeRadios,
    checkbox: makeCheckbox }[control.kind];
  return { name: control.name, ...make(control, id, go, at) };
}

function makeSlider(control, id, go, at) {
  const input = field("input",
    { type: "range", id, min: 0, max: control.labels.length - 1 });
  const output = html("output", { for: id });
  input.addEventListener("input", () => go(Number(input.value)));
  const update = (offered = control.labels) => {
    const { labels, instead } = listed(offered);
    input.max = Math.max(0, labels.length - 1);
    input.disabled = labels.length === 0;
    input.value = at();
    output.textContent = instead ?? labels[at()];
    input.setAttribute("aria-valuetext", output.textContent);
  };
  return { element: html("div", {}, html("label", { for: id }, control.label), output, input),
    update };
}

function makeSelect(control, id, go, at) {
  const input = field("select", { id });
  input.addEventListener("change", () => go(input.selectedIndex));
  const update = whenChanged(({ labels, instead }) => {
    input.disabled = labels.length === 0;
    const shown = instead ? [instead] : labels;
    input.replaceChildren(...shown.map((label) => html("option", {}, label)));
  }, () => { input.selectedIndex = at(); }, control.labels);
  return { element: html("div", {}, html("label", { for: id }, control.label), input), update };
}

function makeRadios(control, id, go, at) {
  const holder = html("span", {});
  const update = whenChanged(({ labels, instead }) => {
    const options = labels.map((label, k) => {
      const input = field("input", { type: "radio", name: id, id: `${id}-${k}` });
      input.addEventListener("change", () => go(k));
      return html("label", { for: `${id}-${k}` }, input, label);
    });
    holder.replaceChildren(...(instead ? [instead] : options));
  }, () => holder.querySelectorAll("input").forEach((input, k) => { input.checked = k === at(); }),
    control.labels);
  return { element: html("fieldset", {}, html("legend", {}, control.label), holder), update };
}

function makeCheckbox(control, id, go, at) {
  const input = field("input", { type: "checkbox", id });
  input.addEventListener("change", () => go(input.checked ? 1 : 0));
  const update = () => { input.checked = at() === 1; };
  return { element: html("div", {}, html("label", { for: id }, input, control.label)), update };
}

// What a state offers: a list of labels, or words that say why there is nothing to choose.
function listed(offered) {
  return typeof offered === "string" ? { labels: [], instead: offered } : { labels: offered };
}

// Rebuild a list of options only when its labels change:
// else the focus would be lost at every move.
function whenChanged(build, mark, declared) {
  let shown = null;
  return (offered = declared) => {
    if (JSON.stringify(offered) !== shown) build(listed(offered));
    shown = JSON.stringify(offered);
    mark();
  };
}

// ---- marks that one takes by hand ---------------------------------------------------------------

// The mark under a wide, unseen strip. Dragging it moves its control to the position whose place is
// nearest; the marks are drawn anew meanwhile, so the page listens and not the mark.
function withHandle(mark, pen, inside, view) {
  const { control, places, positions = places.map((_, k) => k), along } = mark.handle;
  const x = pen.spanX([mark.x].flat()), y = pen.spanY([mark.y].flat());
  const area = { ...atLeast(FINGER, "x", "width", x), ...atLeast(FINGER, "y", "height", y) };
  const grip = svg("rect", { class: `explorable-grip along-${along}`, ...area });
  grip.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    const drawing = view.scene.firstChild.getBoundingClientRect();
    const { e, f } = grip.parentNode.parentNode.transform.baseVal[0].matrix;
    const at = along === "x" ? (place) => drawing.left + e + pen.x(place)
      : (place) => drawing.top + f + pen.y(place);
    drag(view, control, along === "x" ? "clientX" : "clientY", places.map(at), positions);
  });
  const rules = [mark.x, mark.y].findIndex((ends) => ends.includes?.(null)); // 1: it stands upright
  const knob = rules === 1 ? [clamp(x[0], 12, pen.width - 12), inside.top + 8]
    : rules === 0 ? [inside.right - 12, y[0]]
      : [area.x + area.width / 2, area.y + area.height / 2];
  const shown = ["box", "text"].includes(mark.kind) ? []
    : [drawKnob(along, ...knob, rules < 0 ? (mark.size ?? 0) + 6 : 0)];
  return svg("g", {}, DRAW[mark.kind](mark, pen), ...shown,
    ...(view.moved || view.cued ? [] : [cue(view, pen, rules ? knob : [knob[0], knob[1] + 30])]), grip);
}

// Room for a finger around what a mark covers on one side.
function atLeast(size, start, length, values) {
  const low = Math.min(...values), high = Math.max(...values),
    more = Math.max(0, size - (high - low)) / 2;
  return { [start]: low - more, [length]: high - low + 2 * more };
}

// Two arrowheads: on a disc, or beside a mark that reaches so far from its middle.
function drawKnob(along, x, y, reach) {
  const tip = reach ? reach + 3 : 4.5, foot = tip - 3;
  const arrows = `M${-foot} -3L${-tip} 0L${-foot} 3M${foot} -3L${tip} 0L${foot} 3`;
  return svg("g", { class: "explorable-knob",
    transform: `translate(${x} ${y}) rotate(${along === "x" ? 0 : 90})` },
  ...(reach ? [] : [svg("circle", { r: 7.5 })]), svg("path", { d: arrows }));
}

// Until something was moved, the first handle says what it is for.
function cue(view, pen, [x, y]) {
  view.cued = true;
  const left = x > pen.width - 70;
  return words(x + (left ? -16 : 16), y + (y < 30 ? 4 : -12), "drag",
    { class: "explorable-cue halo", "text-anchor": left ? "end" : "start" });
}

function drag(view, control, axis, places, positions) {
  const i = view.model.get("controls").findIndex(({ name }) => name === control);
  const over = new AbortController(), { signal } = over;
  const go = (event) => {
    const distances = places.map((at) => Math.abs(at - event[axis])),
      nearest = positions[distances.indexOf(Math.min(...distances))];
    if (nearest !== view.model.get("positions")[i]) move(view, i, nearest);
  };
  const stop = () => {
    over.abort();
    view.scene.classList.remove("dragged");
  };
  view.scene.classList.add("dragged");
  addEventListener("pointermove", go, { signal });
  addEventListener("pointerup", stop, { signal });
  addEventListener("pointercancel", stop, { signal });
}

// ---- the scene ----------------------------------------------------------------------------------

function roomOf(view) {
  return Math.round(view.scene.clientWidth) || 360;
}

// The longest sentence keeps its room, so that nothing below it jumps as a control moves.
function keepRoom({ model, sentence }) {
  const longest = model.get("states").reduce((found, state) =>
    (state && state.sentence.length > found.length ? state.sentence : found), "");
  const twin = html("p", { class: "explorable-sentence", "aria-hidden": "true",
    style: "visibility: hidden" }, longest);
  sentence.after(twin);
  sentence.style.minHeight = `${twin.getBoundingClientRect().height}px`;
  twin.remove();
}

function drawScene(view) {
  view.width = roomOf(view);
  keepRoom(view);
  keepHeight(view);
  view.cued = false;
  view.font = getComputedStyle(view.scene).fontFamily;
  const panels = view.state.panels.map(({ frame, marks }) =>
    ({ frame: stored(view, frame), marks: marks.map((mark) => stored(view, mark)) }));
  const places = arrange(panels, view.width);
  const width = Math.max(view.width, ...places.map((place) => place.left + place.width));
  const height = Math.max(0, ...places.map((place) => place.top + place.height));
  const drawing = svg("svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": view.state.sentence });
  drawing.append(svg("defs", {}));
  panels.forEach((part, i) => drawing.append(drawPanel(part, places[i], drawing, view)));
  view.scene.replaceChildren(...(panels.length ? [drawing] : []));
  width > view.width ? view.scene.setAttribute("tabindex", 0)
    : view.scene.removeAttribute("tabindex");
  drawLegend(view, panels.flatMap((part) => part.marks), drawing);
}

// The tallest scene keeps its height, too; panels stand the same way for the same frames.
function keepHeight(view) {
  const heights = new Map();
  for (const state of view.model.get("states")) {
    const frames = state ? state.panels.map(({ frame }) => stored(view, frame)) : [],
      key = frames.map(({ height, min_width }) => [height, min_width]).join();
    if (!heights.has(key)) heights.set(key,
      Math.max(0, ...arrange(frames.map((frame) => ({ frame })),
        view.width).map(({ top, height }) => top + height)));
  }
  view.scene.style.minHeight = `${Math.max(...heights.values())}px`;
  const { element } = view.controls[0], box = element.parentNode;
  // may stay in view while one looks at the picture
  box.classList.toggle("few", box.offsetHeight < 0.25 * innerHeight);
}

function stored(view, index) {
  return view.model.get("pool")[index];
}

// Fill each row with as many panels as have their least width, then stretch them over the row.
function arrange(panels, width) {
  const rows = [[]];
  for (const { frame } of panels) {
    const used = rows.at(-1).reduce((sum, other) => sum + other.min_width, 0);
    used && used + frame.min_width > width ? rows.push([frame]) : rows.at(-1).push(frame);
  }
  let top = 0;
  return rows.flatMap((row) => {
    const stretch = Math.max(1, width / row.reduce((sum, frame) => sum + frame.min_width, 0));
    let left = 0;
    const places = row.map((frame) => {
      const place = { left, top, width: frame.min_width * stretch, height: frame.height };
      left += place.width;
      return place;
    });
    top += Math.max(0, ...row.map((frame) => frame.height)) + 8;
    return places;
  });
}

function drawPanel({ frame, marks }, place, drawing, view) {
  const { id, font } = view;
  const { x, y } = frame;
  const widthOf = (string, weight = 400) => {
    RULER.font = `${weight} ${FONT}px ${font}`;
    return RULER.measureText(string).width;
  };
  const head = (frame.title ? LINE + 5 : 0) + (y.label ? LINE + 5 : 0) + 8;
  const inside = {
    left: y.ticks.length ? 12 + Math.max(...y.ticks.map(([, label]) => widthOf(label))) : 6,
    right: place.width - 12,
    top: head,
    bottom: place.height - 6 - (x.ticks.length ? LINE + 4 : 0) - (x.label ? LINE + 3 : 0),
  };
  if (x.ticks.length) { // the last label may reach beyond the axis
    const [value, label] = x.ticks.at(-1),
      free = ((x.high - value) / (x.high - x.low)) * (inside.right - inside.left);
    inside.right -= Math.max(0, widthOf(label) / 2 - 10 - free);
  }
  const pen = {
    drawing, id, widthOf, width: place.width,
    x: scale(x, inside.left, inside.right),
    y: scale(y, inside.bottom, inside.top),
    spanX: (values) => values.map((v, i) =>
      (v === null ? [inside.left, inside.right][i] : pen.x(v))),
    spanY: (values) => values.map((v, i) =>
      (v === null ? [inside.bottom, inside.top][i] : pen.y(v))),
  };
  const group = svg("g", { transform: `translate(${place.left} ${place.top})` });
  drawFrame(group, frame, inside, pen);
  marks.forEach((mark) =>
    group.append(mark.handle ? withHandle(mark, pen, inside, view) : DRAW[mark.kind](mark, pen)));
  return group;
}

function scale({ low, high }, from, to) {
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

function drawFrame(group, { title, x, y }, inside, pen) {
  const start = inside.left - (y.ticks.length ? 4 : 0);
  if (title) group.append(words(clamp(pen.width - pen.widthOf(title, 600), 0, start), 12, title,
    { "font-weight": 600 }));
  if (y.label) group.append(words(0, (title ? LINE + 5 : 0) + 12, y.label, { class: "quiet" }));
  const middle = (inside.left + inside.right) / 2,
    below = inside.bottom + (x.ticks.length ? LINE + 6 : 0) + 12;
  const half = pen.widthOf(x.label) / 2;
  if (x.label) group.append(words(clamp(middle, half, pen.width - half), below, x.label,
    { class: "quiet", "text-anchor": "middle" }));
  if (x.ticks.length) group.append(stroke(inside.left, inside.bottom, inside.right, inside.bottom));
  if (y.ticks.length) group.append(stroke(inside.left, inside.bottom, inside.left, inside.top));
  // where the last label on the x axis ended: labels that would overlap are left out
  let free = -Infinity;
  for (const [value, label] of x.ticks) {
    const at = pen.x(value), half = pen.widthOf(label) / 2;
    group.append(stroke(at, inside.bottom, at, inside.bottom + 4));
    if (at - half < free) continue;
    group.append(words(at, inside.bottom + LINE + 2, label,
      { class: "quiet", "text-anchor": "middle" }));
    free = at + half + 4;
  }
  for (const [value, label] of y.ticks) {
    group.append(stroke(inside.left - 4, pen.y(value), inside.left, pen.y(value)));
    group.append(words(inside.left - 7, pen.y(value) + 4, label,
      { class: "quiet", "text-anchor": "end" }));
  }
}

const DRAW = {
  rect(mark, pen) {
    const [x0, x1] = pen.spanX(mark.x), [y0, y1] = pen.spanY(mark.y);
    const size = { x: Math.min(x0, x1), y: Math.min(y0, y1), width: Math.abs(x1 - x0),
      height: Math.abs(y1 - y0) };
    const fill = mark.hatch ? hatch(mark.colour, pen) : colour(mark);
    const edge = { stroke: colour(mark), "stroke-width": mark.tint ? 0 : 1 };
    return svg("rect", { ...size, ...edge, fill,
      "fill-opacity": mark.tint && !mark.hatch ? 0.16 : 1 });
  },
  line(mark, pen) {
    const x = pen.spanX(mark.x), y = pen.spanY(mark.y);
    const look = { fill: "none", stroke: colour(mark), "stroke-width": mark.width };
    return svg("path", { d: path(x, y), ...look,
      "stroke-dasharray": mark.dashed ? "6 4" : "none" });
  },
  points(mark, pen) {
    const x = pen.spanX(mark.x), y = pen.spanY(mark.y);
    return svg("g", {}, ...x.map((at, i) => shape(mark, at, y[i])));
  },
  text(mark, pen) {
    const width = pen.widthOf(mark.words),
      before = width * { start: 0, middle: 0.5, end: 1 }[mark.anchor];
    // words stay inside the panel
    const at = clamp(pen.x(mark.x) + (mark.dx || 0), before, pen.width - width + before);
    return words(at, pen.y(mark.y) + 4 + (mark.dy || 0), mark.words, {
      "text-anchor": mark.anchor, fill: colour(mark), class: "halo" });
  },
  box(mark, pen) {
    const width = Math.max(...mark.lines.map((line, i) => pen.widthOf(line, i ? 400 : 600))) + 10,
      height = LINE * mark.lines.length + 6;
    const middle = clamp(pen.x(mark.x), width / 2, pen.width - width / 2),
      top = pen.y(mark.y) - height / 2;
    const frame = { x: middle - width / 2, y: top, width, height, rx: mark.rounded ? 10 : 2 };
    return svg("g", {},
      svg("rect", { ...frame, fill: "var(--paper)" }),
      svg("rect", { ...frame, fill: colour(mark), "fill-opacity": 0.14, stroke: colour(mark),
        "stroke-width": 1.5 }),
      ...mark.lines.map((line, i) =>
        words(middle, top + LINE * (i + 1) - 1, line,
          { "text-anchor": "middle", "font-weight": i ? 400 : 600 })));
  },
};

const CORNERS = { // of shapes with radius 1
  square: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  triangle: [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]],
  diamond: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
};

function shape({ shape: kind, size: r, ...mark }, x, y) {
  const look = { fill: colour(mark), stroke: "var(--paper)", "stroke-width": 1 };
  if (kind === "circle") return svg("circle", { cx: x, cy: y, r, ...look });
  if (kind === "cross") {
    const strokes = path([x - r, x + r], [y - r, y + r]) + path([x - r, x + r], [y + r, y - r]);
    return svg("path", { d: strokes, stroke: colour(mark), "stroke-width": 2.5 });
  }
  const corners = CORNERS[kind];
  return svg("path", { d: path(corners.map(([a]) => x + a * r), corners.map(([, b]) => y + b * r))
    + "Z", ...look });
}

function hatch(name, { drawing, id }) {
  const key = `${id}-${name}`;
  if (!drawing.querySelector(`#${key}`)) {
    const tile = { id: key, width: 6, height: 6, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)" };
    drawing.querySelector("defs").append(svg("pattern", tile,
      svg("rect", { width: 6, height: 6, fill: "var(--paper)" }),
      svg("rect", { width: 2.5, height: 6, fill: `var(--${name})` })));
  }
  return `url(#${key})`;
}

// One entry for each name that marks carry, with a key for each way in which it is drawn (a bar
// and a point, say).
function drawLegend(view, marks, drawing) {
  const entries = new Map();
  for (const mark of marks.filter((mark) => mark.name)) {
    const look = [mark.kind, mark.colour, mark.shape, mark.hatch, mark.dashed].join();
    entries.set(mark.name, (entries.get(mark.name) || new Map()).set(look, mark));
  }
  view.legend.replaceChildren(...[...entries].map(([name, looks]) =>
    html("span", {}, ...[...looks.values()].map((mark) =>
      legendKey(mark, { drawing, id: view.id })), name)));
}

function legendKey(mark, pen) {
  const [x, y] = { points: [[11], [8]], line: [[1, 21], [8, 8]], rect: [[4, 18], [2, 14]] }[
    mark.kind];
  const here = { ...pen, spanX: (values) => values, spanY: (values) => values };
  return svg("svg", { width: 22, height: 16, viewBox: "0 0 22 16", "aria-hidden": "true" },
    DRAW[mark.kind]({ ...mark, x, y }, here));
}

function drawTable(view) {
  const { columns, rows } = view.state.table;
  const row = (cells, tag, attributes) =>
    html("tr", {}, ...cells.map((cell) => html(tag, attributes(cell), cell)));
  view.table.replaceChildren(html("table", {},
    html("thead", {}, row(stored(view, columns), "th", () => ({ scope: "col" }))),
    html("tbody", {}, ...rows.map((cells) =>
      row(stored(view, cells), "td", (cell) => (isNaN(cell) ? {} : { class: "number" }))))));
}

// ---- links in the text that set a state: `[set it to 8](#set:together=8)` ----------------------

// One listener for a document, on a page and in JupyterLab alike.
function followLinks() {
  if (!document.explorableLinks) addEventListener("click", follow, true);
  document.explorableLinks = true;
}

function follow(event) {
  const link = event.target.closest?.('a[href^="#set:"]');
  if (!link) return;
  event.preventDefault();
  const wishes = link.hash.slice("#set:".length).split(",").map((wish) =>
    wish.split("=").map(decodeURIComponent));
  const root = nearest(link, wishes);
  if (!root) throw new Error(`nothing here has ${wishes.map(([name]) => name).join(", ")}`);
  for (const [name, value] of wishes) {
    const labels = root.explorable.labels[name].map(plain), wanted = plain(value);
    const exact = labels.indexOf(wanted),
      at = exact >= 0 ? exact : labels.findIndex((label) => label.startsWith(`${wanted} `));
    if (at < 0) throw new Error(`${name} cannot be ${value}: it can be ${labels.join(", ")}`);
    root.explorable.set(name, at);
  }
  root.scrollIntoView({ block: "nearest" });
}

// The explorable nearest to the link that has all these controls; in JupyterLab of its notebook.
function nearest(link, wishes) {
  const at = link.getBoundingClientRect().top;
  const distance = (one) => Math.abs(one.getBoundingClientRect().top - at);
  const all = (link.closest(".jp-Notebook") ?? document).querySelectorAll(".explorable");
  return [...all].filter(({ explorable }) => wishes.every(([name]) => name in explorable.labels))
    .sort((one, other) => distance(one) - distance(other))[0];
}

function plain(label) {
  return label.trim().toLowerCase();
}

// ---- small tools --------------------------------------------------------------------------------

function colour(mark) {
  return `var(--${mark.colour})`;
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

function path(x, y) {
  return "M" + x.map((at, i) => `${at.toFixed(1)} ${y[i].toFixed(1)}`).join("L");
}

function stroke(x1, y1, x2, y2) {
  return svg("line", { x1, y1, x2, y2, stroke: "var(--muted)" });
}

function words(x, y, string, attributes) {
  return svg("text", { x, y, "font-size": FONT, fill: "var(--ink)", ...attributes }, string);
}

function html(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

// What takes the focus: JupyterLab must leave it the arrow keys and Enter,
// which else act on the notebook's cell.
function field(tag, attributes, ...children) {
  return html(tag, { "data-lm-suppress-shortcuts": "true", ...attributes }, ...children);
}

function svg(tag, attributes, ...children) {
  return build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
