// What "Run Python in this page" does on an exercise page:
// the stubs become editors, and a check runs in the page's Python.
// Letters and numbers keep their fields, which answer without Python;
// whoever wants to may write those as code, too.
// The page stands for the notebook that was handed out (fi.handedOut):
// before a question is checked, the cells above it have run.

import { MAIN, SECOND, startIn } from "./chapters.js";
import { makeOutputs } from "./outputs.js";
import { makeEditor } from "./editor.js";

const { element, button, read, change, exercises } = fi;
const VERDICT = "application/x-fi-verdict";
const sourceOf = (cell) => [cell.source].flat().join("");
const STOPPED = "Stopped. The next check starts Python anew.";
const about = (cell) => cell.metadata.fi_teach ?? {};

export async function begin(place, line) {
  const notebook = await fi.handedOut();
  const py = await startIn(place, line);
  place.prepend(line);
  const set = new Notebook(py, notebook, line);
  const stop = set.stopButton();
  stop.hidden = true;
  py.addEventListener("state", () => { stop.hidden = py.state !== "busy"; });
  const answers = [];
  const afresh = button("Start over with all code",
    () => answers.forEach((answer) => answer.startOver()), SECOND);
  place.append(stop, afresh, set.troubles, preparation(notebook));
  for (const cell of notebook.cells) {
    const { part, question } = about(cell), entry = exercises[question];
    if (part !== "answer" || !entry || entry.asked.asks === "prose") continue;
    const answer = new Answer(set, cell, entry);
    answers.push(answer);
    if (!answer.form || read().code[question]) answer.open();
    else answer.offer();
  }
  fi.codeCounts = true; // questions in code give points, too
  document.dispatchEvent(new Event("fi:changed"));
  await set.inTurn(() => set.prepare());
}

function preparation(notebook) {
  const cells = notebook.cells.filter((cell) => cell.cell_type === "code" && !about(cell).part);
  return element("details", {}, element("summary", {}, "What is run before your code"),
    element("pre", { tabindex: 0 }, cells.map(sourceOf).join("\n\n")));
}

// ---- the cells, in order ------------------------------------------------------------------------

class Notebook {
  constructor(py, notebook, line) {
    Object.assign(this, { py, line, notebook, ran: new Map(),
      troubles: element("p", { class: "fi-how" }), queue: Promise.resolve() });
  }

  cell(question, part) {
    return this.notebook.cells.find((cell) => about(cell).part === part
      && about(cell).question === question);
  }

  // What a cell holds now: of an answer what stands on the page.
  now(cell) {
    const { part, question } = about(cell);
    return part === "answer" ? fi.sourceOf(question, sourceOf(cell)) : sourceOf(cell);
  }

  // A fresh interpreter knows nothing.
  state(cell) { return `${this.py.generation} ${this.now(cell)}`; }

  // One thing after the other, whatever is clicked meanwhile.
  inTurn(work) {
    this.queue = this.queue.then(work, work);
    return this.queue;
  }

  // Run a cell and remember what was run -> how it ended
  async run(cell, onOutput = () => {}) {
    const name = about(cell).part === "answer" ? "your answer" : "what stands above",
      state = this.state(cell);
    const end = await this.py.run(this.now(cell), { onOutput, name });
    if (end.status !== "stopped") this.ran.set(cell.id, state);
    return end;
  }

  // The cells above that prepare or answer and have not run as they are -> did it end well?
  async runAbove(cell) {
    await this.py.start();
    this.troubles.replaceChildren();
    const above = this.notebook.cells.slice(0, this.notebook.cells.indexOf(cell));
    const wanted = above.filter((one) => one.cell_type === "code"
      && [undefined, "answer"].includes(about(one).part));
    for (const one of wanted) {
      if (this.ran.get(one.id) === this.state(one)) continue;
      this.line.textContent =
        `Running what stands above: ${about(one).question ?? "the preparation"} …`;
      const end = await this.run(one,
        (output) => { if (output.output_type === "error") this.stumbled(one, output); });
      if (end.status === "stopped") return false;
    }
    return true;
  }

  // A cell above that ends in an error is no reason not to go on, but to say so.
  stumbled(cell, { ename, evalue }) {
    this.troubles.replaceChildren(
      `${about(cell).question ?? "The preparation"} ended in an error: ${ename}: ${evalue}`);
  }

  // What the notebook does before its first question, done before it is asked for.
  async prepare() {
    await this.runAbove(this.notebook.cells.find((cell) => about(cell).part === "answer"));
    this.line.textContent =
      "Python runs in this page. Check runs an answer and judges it; Run only runs it.";
  }

  stopButton() {
    return button("Stop", () => { this.py.stop(); this.line.textContent = STOPPED; }, MAIN);
  }
}

// ---- an answer in code --------------------------------------------------------------------------

class Answer {
  constructor(set, cell, { asked, place, cell: built }) {
    Object.assign(this, { set, cell, asked, place, built, id: asked.id, stub: sourceOf(cell),
      form: place.querySelector("form") });
    document.addEventListener("fi:loaded", () => this.loaded());
  }

  // A letter or a number has a field; who wants to compute opens an editor in its place.
  offer() {
    if (this.asked.asks === "number")
      this.form.append(button("Write it as code", () => { this.open(); this.editor.focus(); },
        "fi-quiet fi-as-code"));
  }

  open() {
    const name = this.asked.heading.replace(/ [★☆].*/, "");
    this.place.querySelectorAll(".fi-how, .fi-kept, .fi-as-code").forEach((part) => part.remove());
    for (const part of [this.built, this.form, this.form?.nextElementSibling]) if (part)
      part.hidden = true;
    const there = element("div", {});
    this.outputs = makeOutputs(`What your answer to ${name} puts out`);
    this.verdict = element("p", { class: "fi-verdict", role: "status", hidden: true });
    this.trace = element("details", { hidden: true }, element("summary", {}, "Where it happened"),
      element("pre", { tabindex: 0 }));
    this.editor = makeEditor(there, fi.sourceOf(this.id, this.stub),
      { label: `Your answer to ${name}`,
      onRun: () => this.doing(() => this.run()), onChange: () => this.keep() });
    this.stop = this.set.stopButton();
    this.stop.hidden = true;
    const buttons = element("p", { class: "fi-code-buttons" },
      button("Check", () => this.doing(() => this.check()), MAIN),
      button("Run", () => this.doing(() => this.run()), SECOND), this.stop,
      button("Start over", () => this.startOver(), SECOND));
    if (this.form) buttons.append(button("Back to the field", () => this.close(), SECOND));
    this.block = element("div", { class: "fi-in-code" }, there, buttons, this.outputs.element,
      this.verdict, this.trace);
    (this.form ?? this.place.querySelector(".fi-hints")).before(this.block);
    const { status } = read().answers[this.id] ?? {};
    if (!this.form && status)
      this.tell({ status, title: status === "right" ? "Right, when it was last checked."
        : "Not yet, when it was last checked." });
  }

  close() {
    change(({ code }) => { delete code[this.id]; });
    this.block.remove();
    this.editor = null;
    this.form.hidden = false;
    exercises[this.id].refill();
    this.offer();
  }

  loaded() {
    const code = read().code[this.id];
    this.place.querySelector(".fi-kept")?.remove();
    if (!this.editor && !code) return;
    if (!this.editor) this.open();
    else if (this.form && !code) this.close();
    else this.editor.source = fi.sourceOf(this.id, this.stub);
  }

  keep() {
    const { source } = this.editor;
    change(({ code }) => { if (source.trim() === this.stub.trim()) delete code[this.id];
      else code[this.id] = source; });
  }

  startOver() {
    const before = this.editor?.source;
    if (before === undefined || before === this.stub) return;
    const put = (source) => { this.editor.source = source; this.keep(); };
    put(this.stub);
    this.outputs.clear();
    this.tell({ status: "not started", title: "As it was handed out." });
    this.verdict.append(" ", button("Undo", () => { put(before); this.verdict.hidden = true; }));
  }

  async doing(work) {
    this.block.setAttribute("aria-busy", "true");
    this.stop.hidden = false;
    await this.set.inTurn(work);
    this.stop.hidden = true;
    this.block.setAttribute("aria-busy", "false");
  }

  // Run the cell, and before it what stands above -> did it run to its end?
  async run() {
    this.outputs.clear();
    this.verdict.hidden = this.trace.hidden = true;
    if (!(await this.set.runAbove(this.cell))) return false;
    this.set.line.textContent = "Running …";
    const { status } = await this.set.run(this.cell, (output) => this.outputs.add(output));
    this.set.line.textContent =
      { ok: "Python is ready.", error: "The cell ended in an error.", stopped: STOPPED }[status];
    return status === "ok";
  }

  async check() {
    if (!(await this.run())) return;
    const call = sourceOf(this.set.cell(this.id, "check")).trim().replace(".check(", ".feedback(");
    const feedback = "__import__('IPython.display').display.publish_display_data(" +
      `{${JSON.stringify(VERDICT)}: ${call}})`;
    let found;
    this.set.line.textContent = "Checking …";
    const end = await this.set.py.run(feedback, { name: "check", onOutput: (output) => {
      if (output.data?.[VERDICT]) found = output.data[VERDICT];
      else this.outputs.add(output);
    } });
    this.set.line.textContent = end.status === "stopped" ? STOPPED : "Python is ready.";
    if (!found) return;
    this.tell(found);
    if (found.status !== "not started") fi.keepAnswer(this.id, found.status, {});
    this.trace.hidden = !found.trace;
    this.trace.querySelector("pre").textContent = found.trace;
  }

  tell({ status, title, message = "" }) {
    fi.tellVerdict(this.verdict, this.asked, { status, title, message });
  }
}
