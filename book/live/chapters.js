// A chapter whose cells run: each gets an editor and its buttons. What stands above a cell and has
// not run as it stands runs first. Changes are kept in this browser.

import { makeEditor } from "./editor.js";
import { megabytes, Python } from "./live.js";
import { makeOutputs } from "./outputs.js";

const { element, button, read, change, page } = fi; // of reader.js, which every page has
export const MAIN = "fi-button", SECOND = "fi-button fi-second";

// ---- the style, the start: what an exercise page does as well -----------------------------------

const LATER = 3000; // milliseconds after Python is there: the reader's first run comes first

// From now on the browser keeps this page, what it has loaded and every page that is opened:
// offline.js shows them without a network.
async function keepPages() {
  await navigator.serviceWorker.register(new URL("../../offline.js", import.meta.url));
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage([location.href,
    ...performance.getEntriesByType("resource").map(({ name }) => name)]);
}

// Fetch and start Python, its progress shown meanwhile -> the interpreter.
// Rejects with words for the reader.
export async function startIn(place, note) {
  const style = { rel: "stylesheet", href: new URL("live.css", import.meta.url).href };
  if (!document.querySelector(`link[href="${style.href}"]`))
    document.head.append(element("link", style));
  const py = new Python();
  const meter = element("progress", { max: 1, value: 0, "aria-label": "Fetching Python" });
  place.prepend(meter);
  const tell = (words) => { if (note.textContent !== words) note.textContent = words; };
  try {
    await py.start(({ loaded, total }) => {
      meter.value = loaded / total;
      // not every chunk is worth a word to a screen reader
      const tenth = Math.floor(10 * loaded / total) / 10;
      tell(loaded < total
        ? `Fetching Python: ${megabytes(tenth * total)} of ${megabytes(total)} ...`
        : "Starting Python ...");
    });
  } finally {
    meter.remove();
  }
  py.addEventListener("fetching", ({ detail: { library, bytes } }) =>
    tell(`Fetching ${library}, ${megabytes(bytes)}, once ...`));
  const { serviceWorker } = navigator; // not everywhere: then the pages need their server
  if (serviceWorker && !serviceWorker.controller)
    setTimeout(() => keepPages().catch(() => {}), LATER);
  return py;
}

// ---- one cell -----------------------------------------------------------------------------------

class Cell {
  ran = 0; // the interpreter that has run it as it and all above now stand
  valid = false; // whether the results of its last run belong to the code as it stands

  // chapter: runUpTo(cell), runAllAbove(cell), changed(cell), undo([cell]), stop()
  constructor(node, number, chapter) {
    const code = node.querySelector(".cell_input .highlight, details.fi-code .highlight")
      .closest("[class*=highlight-]");
    Object.assign(this, { node, chapter, name: `Cell ${number}`, place: element("div", {}),
      source: code.querySelector("pre").textContent.replace(/\n$/, ""),
      built: node.querySelector(":scope > .cell_output"),
      lacks: [...node.classList].find((one) => one.startsWith("tag_needs-"))?.slice(10) });
    this.keepsPicture = Boolean(
      this.built?.querySelector("script[type$='widget-view+json'], .explorable"));
    code.after(this.place);
    code.hidden = true;
    this.editor = makeEditor(this.place, read().edits[page]?.[this.source] ?? this.source,
      { label: `Code of cell ${number}`, onRun: () => chapter.runUpTo(this),
        onChange: () => chapter.changed(this) });
    this.outputs = makeOutputs(`Output of cell ${number}`);
    this.outputs.element.hidden = true;
    (this.built ?? this.place).after(this.outputs.element);
    this.addBar(number);
  }

  addBar(number) {
    this.state = element("span", { class: "fi-cell-state", role: "status" });
    this.run = button("Run", () => this.chapter.runUpTo(this), MAIN);
    this.stop = button("Stop", () => this.chapter.stop(), MAIN);
    this.above = button("Run all above", () => this.chapter.runAllAbove(this), SECOND);
    this.undo = button("Undo edit", () => this.chapter.undo([this]), SECOND);
    this.stop.hidden = true;
    this.above.hidden = number === 1;
    this.place.append(element("div", { class: "fi-cell-bar" }, this.run, this.stop, this.above,
      this.undo, this.state));
    if (this.lacks)
      this.tell(`This cell needs ${this.lacks}, which does not run in a browser. ` +
        "In JupyterLab (make lab) it does.");
  }

  get edited() { return this.editor.source !== this.source; }

  tell(words) { this.state.textContent = words; }

  // Results that do not belong to the code any more say so.
  draw(editedAbove, busy) {
    const shown = !this.outputs.element.hidden || this.built;
    const stale = Boolean(shown)
      && (this.outputs.element.hidden ? editedAbove : !this.valid) && !this.running;
    this.node.classList.toggle("fi-stale", stale);
    this.run.disabled = busy || Boolean(this.lacks);
    this.above.disabled = busy;
    this.undo.hidden = !this.edited && this.outputs.element.hidden;
    this.undo.textContent = this.edited ? "Undo edit" : "Show as built";
    if (this.lacks) return;
    if (this.edited && !this.valid) this.tell("edited, not run");
    else if (stale) this.tell("out of date: a cell above was changed");
    else if (/^(edited|out of date)/.test(this.state.textContent)) this.tell("");
  }

  put(source) {
    this.editor.source = source;
    this.chapter.changed(this);
  }

  // The outputs of a run take the place of those the page was built with,
  // an explorable's excepted.
  showOutputs(on = true) {
    this.outputs.element.hidden = !on;
    if (this.built && !(on && this.keepsPicture)) this.built.hidden = on;
  }

  asBuilt() {
    this.outputs.clear();
    this.showOutputs(false);
    if (!this.lacks) this.tell("");
    if (this.edited) this.put(this.source);
    else this.chapter.draw();
  }

  // shown: whether what it puts out is shown; else only an error is
  async execute(py, shown) {
    if (this.lacks) {
      const { status } = await py.run(this.source, { name: this.name, partly: true });
      if (status === "ok") this.ran = py.generation;
      return status;
    }
    const focused = document.activeElement === this.run;
    this.running = true;
    this.run.hidden = !(this.stop.hidden = false);
    this.node.classList.remove("fi-stale");
    this.tell("running ...");
    this.outputs.clear();
    if (shown) this.showOutputs();
    const { status, ms } = await py.run(this.editor.source, { name: this.name,
      onOutput: (output) => {
        if (output.output_type === "error") this.showOutputs();
        if (!(this.keepsPicture && !this.edited && output.data)) this.outputs.add(output);
      } });
    this.running = false;
    this.run.hidden = !(this.stop.hidden = true);
    if (focused) this.run.focus();
    this.ran = status === "ok" ? py.generation : 0;
    this.valid = status !== "stopped";
    this.tell({ ok: `ran in ${(ms / 1000).toFixed(1)} s`, error: "ended with an error",
      stopped: "stopped" }[status]);
    return status;
  }
}

// ---- the page -----------------------------------------------------------------------------------

class Chapter {
  busy = false;

  constructor(place, note, py) {
    Object.assign(this, { note, py });
    this.stopAll = button("Stop", () => this.stop(), MAIN);
    this.all = button("Run all",
      () => this.runThese(() => this.cells, () => true, this.cells.at(-1)), MAIN);
    this.undoAll = button("Undo all edits",
      () => this.undo(this.cells.filter((cell) => cell.edited)), SECOND);
    place.prepend(element("div", { class: "fi-live-bar" }, this.all, this.stopAll, this.undoAll));
    const nodes = [...document.querySelectorAll("article div.cell")]
      .filter((node) => node.querySelector(".highlight pre"));
    this.cells = nodes.map((node, i) => new Cell(node, i + 1, this));
    this.draw();
    this.tell("Python runs in this page. Change a cell and run it; " +
      "cells above that it needs run first.");
  }

  tell(...words) { this.note.replaceChildren(...words); }

  stop() { this.py.stop(); }

  draw() {
    let editedAbove = false;
    for (const cell of this.cells) {
      cell.draw(editedAbove, this.busy);
      editedAbove ||= cell.edited;
    }
    this.all.disabled = this.busy;
    this.stopAll.hidden = !this.busy;
    this.undoAll.hidden = !editedAbove;
  }

  // A cell's code is another now: neither it nor what is below has run as it stands.
  changed(cell) {
    for (const one of this.cells.slice(this.cells.indexOf(cell)))
      [one.ran, one.valid] = [0, false];
    change(({ edits }) => {
      const mine = edits[page] ??= {};
      if (cell.edited) mine[cell.source] = cell.editor.source;
      else delete mine[cell.source];
    });
    this.draw();
  }

  undo(cells) {
    const before = cells.map((cell) => cell.editor.source);
    for (const cell of cells) cell.asBuilt();
    this.tell("As in the book. ", button("Bring my edits back", () => {
      cells.forEach((cell, i) => cell.put(before[i]));
      this.tell("Your edits are back.");
    }));
  }

  runUpTo(wanted) {
    if (wanted.lacks) return;
    const above = this.cells.slice(0, this.cells.indexOf(wanted)),
      edited = above.some((cell) => cell.edited);
    const isFresh = ({ ran }) => ran > 0 && ran === this.py.generation;
    this.runThese(() => [...above.filter((cell) => !isFresh(cell)), wanted],
      (cell) => cell === wanted || edited, wanted);
  }

  runAllAbove(wanted) {
    this.runThese(() => this.cells.slice(0, this.cells.indexOf(wanted)), () => true, wanted);
  }

  // One cell after the other, to the first that fails. What was built stays in view where a cell
  // only runs for the sake of one below and nothing was edited: isShown(cell) says so.
  async runThese(choose, isShown, wanted) {
    if (this.busy) return;
    this.busy = true;
    this.draw();
    if (this.py.state === "off") { // after Stop: a fresh interpreter, in which nothing has run yet
      this.tell("Starting a fresh Python ...");
      await this.py.start().catch(() => {}); // the first cell says why
    }
    const cells = choose();
    let done = 0, status = "ok";
    for (const cell of cells) {
      this.tell(cells.length > 1
        ? `Running ${cell.name.toLowerCase()}: ${++done} of ${cells.length} ...` : "Running ...");
      status = await cell.execute(this.py, isShown(cell));
      if (status === "error" && cell !== wanted)
        wanted.tell(`${cell.name} above ended with an error.`);
      if (status !== "ok") break;
    }
    this.busy = false;
    this.draw();
    this.tell({ ok: "Done.", error: "A cell ended with an error.",
      stopped: "Stopped. All names are forgotten; the next cell you run gets a fresh Python, " +
        "and the cells above run first." }[status]);
  }
}

export async function begin(place, note) {
  const py = await startIn(place, note);
  new Chapter(place, note, py);
}
