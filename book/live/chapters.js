// A chapter whose cells run: each gets an editor, "Run" and "Reset";
// what stands above and has not run yet runs first.

import { makeEditor } from "./editor.js";
import { megabytes, missing, python } from "./live.js";
import { makeOutputs } from "./outputs.js";

const { element, button } = fi; // of reader.js, which every page has

// ---- the style, the bar, the start: what an exercise page does as well --------------------------

export function addStyle() {
  if (document.querySelector("link[data-fi-live]")) return;
  document.head.append(element("link",
    { rel: "stylesheet", href: new URL("live.css", import.meta.url).href, "data-fi-live": true }));
}

const LATER = 3000; // milliseconds after Python is there: the reader's first run comes first

// From now on the browser keeps this page, what it has loaded and every page that is opened:
// offline.js shows them without a network.
async function keepPages() {
  await navigator.serviceWorker.register(new URL("../../offline.js", import.meta.url));
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage([location.href,
    ...performance.getEntriesByType("resource").map(({ name }) => name)]);
}

// Fetch and start Python, its progress shown in the place of the button -> the interpreter.
// Rejects with words for the reader.
export async function startIn(place, note) {
  const lacking = missing();
  if (lacking) throw new Error(lacking);
  addStyle();
  const py = python({ parts: (place.dataset.parts ?? "").split(" ").filter(Boolean) });
  const meter = element("progress", { max: 1, value: 0, "aria-label": "Fetching Python" });
  const old = [...place.childNodes].filter((node) => node !== note);
  for (const node of old) node.remove();
  place.prepend(meter);
  let last = "";
  const tell = (words) => { if (words !== last) note.textContent = last = words; };
  try {
    await py.start(({ loaded, total, doing }) => {
      meter.value = loaded / total;
      // not every chunk is worth a word to a screen reader
      const tenth = Math.floor(10 * loaded / total) / 10;
      tell(doing === "fetching"
        ? `Fetching Python: ${megabytes(tenth * total)} of ${megabytes(total)} ...`
        : "Starting Python ...");
    });
  } catch (error) {
    place.prepend(...old);
    throw error;
  } finally {
    meter.remove();
  }
  const { serviceWorker } = navigator; // not everywhere: then the pages need their server
  if (serviceWorker && !serviceWorker.controller)
    setTimeout(() => keepPages().catch(() => {}), LATER);
  return py;
}

// ---- cells --------------------------------------------------------------------------------------

function cellsOf(article) {
  return [...article.querySelectorAll("div.cell")].map((node) => {
    const code = node.querySelector(".cell_input .highlight, details.fi-code .highlight")?.closest(
      "[class*=highlight-]");
    return code && { node, code, built: node.querySelector(":scope > .cell_output"),
      source: code.querySelector("pre").textContent.replace(/\n$/, "") };
  }).filter(Boolean);
}

// A cell of the page -> what the page does with it; `ask(cell)` is called to run it.
function equip(cell, number, [why, rest], ask) {
  cell.name = `Cell ${number}`;
  cell.why = why;
  cell.rest = rest;
  cell.ran = 0; // the interpreter that has run it as it stands
  cell.edited = false;
  cell.outputs = makeOutputs(`Output of cell ${number}`);
  const place = element("div", {}),
    state = element("span", { class: "fi-cell-state", role: "status" });
  cell.code.after(place);
  cell.code.hidden = true;
  cell.editor = makeEditor(place, cell.source,
    { label: `Code of cell ${number}`, onRun: () => ask(cell), onChange: () => changed() });
  cell.run = button("Run", () => ask(cell));
  cell.reset = button("Reset", () => back());
  cell.reset.hidden = true;
  cell.tell = (words) => { state.textContent = words; };
  place.append(element("div", { class: "fi-cell-bar" }, cell.run, cell.reset, state));
  cell.keepsPicture = Boolean(
    cell.built?.querySelector("script[type$='widget-view+json'], .explorable"));
  if (cell.built) cell.built.after(cell.outputs.element);
  else cell.node.append(cell.outputs.element);
  cell.outputs.element.hidden = true;
  if (why) {
    cell.run.disabled = true;
    cell.tell(`This cell needs ${why}, which does not run in a browser. In JupyterLab (make lab) it does.`);
  }

  function changed() {
    cell.edited = cell.editor.source !== cell.source;
    cell.ran = 0;
    cell.reset.hidden = !cell.edited && cell.outputs.element.hidden;
    if (!why) cell.tell(cell.edited ? "edited, not run" : "");
  }

  // The outputs of a run take the place of those the page was built with, an explorable's excepted.
  cell.show = () => {
    cell.outputs.element.hidden = false;
    if (cell.built && !cell.keepsPicture) cell.built.hidden = true;
    cell.reset.hidden = false;
  };

  function back() {
    cell.editor.source = cell.source;
    changed();
    cell.outputs.clear();
    cell.outputs.element.hidden = true;
    if (cell.built) cell.built.hidden = false;
    cell.reset.hidden = true;
    cell.tell("");
    cell.run.focus();
  }
}

// ---- the page -----------------------------------------------------------------------------------

export async function begin(place, note) {
  const py = await startIn(place, note);
  const cells = cellsOf(document.querySelector("article"));
  // {place among the cells: [why it cannot run here, what of it can]}
  const absent = JSON.parse(place.dataset.absent ?? "{}");
  let busy = false;
  cells.forEach((cell, i) =>
    equip(cell, i + 1, absent[i] ?? ["", ""], (wanted) => runUpTo(wanted)));

  const stop = button("Stop", () => py.stop());
  stop.hidden = true;
  const all = button("Run all", () => runUpTo(cells.at(-1), true));
  place.prepend(element("div", { class: "fi-live-bar" }, all, stop));
  const tell = (words) => { note.textContent = words; };
  tell("Python runs in this page. Change a cell and run it; cells above that it needs run first.");

  const fresh = (cell) => cell.ran === py.generation && cell.ran > 0;

  function setBusy(on) {
    busy = all.disabled = on;
    if (!on) stop.hidden = true;
    for (const cell of cells) cell.run.disabled = on || Boolean(cell.why);
  }

  async function runUpTo(wanted, every = false) {
    if (busy || (wanted.why && !every)) return;
    setBusy(true);
    if (py.state === "off") { // after Stop: a fresh interpreter, in which nothing has run yet
      tell("Starting a fresh Python ...");
      await py.start().catch(() => {}); // the first cell says why
    }
    stop.hidden = false;
    const above = cells.slice(0,
      cells.indexOf(wanted)).filter((cell) => (!cell.why || cell.rest) && !fresh(cell));
    const todo = wanted.why ? above : [...above, wanted];
    let done = 0, status = "ok";
    for (const cell of todo) {
      tell(todo.length > 1 ? `Running ${cell.name.toLowerCase()}: ${++done} of ${todo.length} ...`
        : "Running ...");
      status = await runOne(cell, every || cell === wanted);
      if (status !== "ok") {
        if (status === "error" && cell !== wanted)
          wanted.tell(`${cell.name} above ended with an error.`);
        break;
      }
    }
    setBusy(false);
    if (status === "stopped") {
      for (const cell of cells) if (!cell.why) cell.tell("");
      tell("Stopped. All names are forgotten; the next cell you run gets a fresh Python, and the cells above run first.");
    } else tell(status === "ok" ? "Done." : "A cell ended with an error.");
  }

  // What was built stays in view where a cell only runs for the sake of one below,
  // as long as nothing above was edited.
  async function runOne(cell, shown) {
    if (cell.why) { // its imports and definitions only
      const { status } = await py.run(cell.rest, { name: cell.name });
      if (status === "ok") cell.ran = py.generation;
      return status;
    }
    const edited = cells.slice(0, cells.indexOf(cell) + 1).some((one) => one.edited),
      focused = document.activeElement === cell.run;
    const stopHere = button("Stop", () => py.stop());
    cell.run.hidden = true;
    cell.run.after(stopHere);
    cell.tell("running ...");
    cell.outputs.clear();
    if (shown || edited) cell.show();
    const { status, ms } = await py.run(cell.editor.source,
      { name: cell.name, onOutput: (output) => {
      if (output.output_type === "error") cell.show();
      if (!(cell.keepsPicture && !edited && output.data)) cell.outputs.add(output);
    } });
    stopHere.remove();
    cell.run.hidden = false;
    if (focused) cell.run.focus();
    cell.ran = status === "ok" ? py.generation : 0;
    cell.tell(status === "ok" ? `ran in ${(ms / 1000).toFixed(1)} s` : status === "error"
      ? "ended with an error" : "stopped");
    return status;
  }
}
