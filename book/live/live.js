// One Python for a page: fetched when it is started, in a worker of its own, ended
// and started afresh by stop().
// README.md describes the messages; another runtime takes this one's place by keeping the functions
// exported here.

const HERE = new URL(".", import.meta.url).href;
// A function that takes an `exnref`: whoever can read it has the exception handling
// that Python was compiled with.
const WITH_EXCEPTIONS =
  new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 1, 0x69, 0]);

// "" or a sentence that names what this browser, or this way of opening the page, lacks.
export function missing() {
  if (!globalThis.Worker) return "Python needs web workers, which this browser does not have.";
  if (!globalThis.DecompressionStream)
    return "Python comes packed, and this browser lacks the DecompressionStream that unpacks it.";
  if (!globalThis.WebAssembly?.validate(WITH_EXCEPTIONS)) {
    return "Python needs WebAssembly with exception handling (exnref), which this browser does not have yet. A newer version of it may.";
  }
  return "";
}

export const megabytes = (bytes) => `${Math.max(1, Math.round(bytes / 1e6))} MB`;

export class Python extends EventTarget {
  state = "off"; // "starting", "ready", "busy"
  generation = 0; // rises with every fresh interpreter
  #parts;
  #worker = null;
  #module = null; // compiled once, handed to each fresh worker
  #list = null; // of the files: files.json
  #script = null;
  #started = null;
  #queue = [];
  #ids = 0;

  // parts: what is loaded beside NumPy and pandas:
  // "plots" (matplotlib), "learn" (scikit-learn, SciPy)
  constructor({ parts = [] } = {}) {
    super();
    this.#parts = parts;
  }

  // Resolves when Python is there; rejects with an Error whose message a reader can act on.
  // Starting twice is starting once.
  start(onProgress = () => {}) {
    this.#started ??= this.#start(onProgress).catch((error) => {
      this.#end();
      throw error;
    });
    return this.#started;
  }

  // -> { status: "ok", "error" or "stopped", ms, memory }. Runs wait for each other;
  // outputs come as the notebook format has them.
  run(source, { onOutput = () => {}, name = "Cell" } = {}) {
    return new Promise((resolve) => {
      this.#queue.push({ id: ++this.#ids, source, name, onOutput, resolve, sent: false });
      this.start().then(() => this.#next(), (error) => this.#fail(error.message));
    });
  }

  // Ends what runs and what waits. All names are lost; the next run has a fresh interpreter.
  stop() {
    const waiting = this.#queue;
    this.#queue = [];
    this.#end();
    for (const { resolve } of waiting) resolve({ status: "stopped", ms: 0, memory: 0 });
  }

  #set(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = this.#started = null;
    this.#set("off");
  }

  #fail(message) {
    const waiting = this.#queue;
    this.#queue = [];
    const error = { output_type: "error", ename: "Python", evalue: message, traceback: [message] };
    for (const { onOutput, resolve } of waiting) {
      onOutput(error);
      resolve({ status: "error", ms: 0, memory: 0 });
    }
  }

  #next() {
    const first = this.#queue[0];
    if (!first || first.sent || this.state !== "ready") return;
    first.sent = true;
    this.#set("busy");
    this.#worker.postMessage({ do: "run", id: first.id, source: first.source, name: first.name });
  }

  async #text(name) {
    const fetched = await fetch(HERE + name, { cache: "no-cache" }).catch(() => null);
    if (!fetched?.ok) throw new Error(`${name} could not be fetched: is the network there?`);
    return fetched.text();
  }

  async #start(onProgress) {
    this.#set("starting");
    const lacking = missing();
    if (lacking) throw new Error(lacking);
    this.#list ??= JSON.parse(await this.#text("files.json"));
    this.#script ??= URL.createObjectURL(new Blob([await this.#text("worker.js")],
      { type: "text/javascript" }));
    const worker = this.#worker = new Worker(this.#script);
    const parts = this.#parts.filter((part) => `${part}.zip` in this.#list.files);
    await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => this.#hear(data, { onProgress, resolve, reject });
      worker.onerror = (event) => reject(new Error(event.message || "the worker did not start."));
      worker.postMessage({ do: "start", base: HERE, ...this.#list, parts, module: this.#module });
    });
    this.generation += 1;
    this.#set("ready");
    this.#next();
  }

  #hear(data, { onProgress, resolve, reject }) {
    const first = this.#queue[0];
    if (data.say === "progress")
      onProgress({ loaded: data.loaded, total: data.total,
        doing: data.loaded < data.total ? "fetching" : "starting" });
    if (data.say === "compiled") this.#module = data.module;
    if (data.say === "ready") resolve();
    if (data.say === "output") first?.onOutput(data.output);
    if (data.say === "failed") {
      reject(new Error(data.message));
      if (data.id) {
        this.#end();
        this.#fail(data.message);
      }
    }
    if (data.say === "done") {
      this.#queue.shift();
      this.#set("ready");
      first.resolve({ status: data.status, ms: data.ms, memory: data.memory });
      this.#next();
    }
  }
}

export const python = (wishes) => new Python(wishes);
