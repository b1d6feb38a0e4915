// One Python for a page: fetched when it is started, in a worker of its own, ended
// and started afresh by stop(). README.md describes the messages; another runtime takes this one's
// place by keeping what is exported here.

const HERE = new URL(".", import.meta.url).href;
// A function that takes an `exnref`: whoever can read it has the exception handling
// that Python was compiled with.
const WITH_EXCEPTIONS =
  new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 1, 0x69, 0]);

// "" or a sentence that names what this browser, or this way of opening the page, lacks.
function missing() {
  if (!globalThis.Worker) return "Python needs web workers, which this browser does not have.";
  if (!globalThis.DecompressionStream)
    return "Python comes packed, and this browser lacks the DecompressionStream that unpacks it.";
  if (!globalThis.WebAssembly?.validate(WITH_EXCEPTIONS))
    return "Python needs WebAssembly with exception handling (exnref), which this browser does " +
      "not have yet. A newer version of it may.";
  return "";
}

export const megabytes = (bytes) => `${Math.max(1, Math.round(bytes / 1e6))} MB`;

// Its events: "state" when `state` changes, "fetching" (detail: { library, bytes }) when a cell
// waits for a library.
export class Python extends EventTarget {
  state = "off"; // "starting", "ready", "busy"
  generation = 0; // rises with every fresh interpreter
  #worker = null;
  #module = null; // compiled once, handed to each fresh worker
  #list = null; // of the files: files.json
  #script = null;
  #started = null;
  #queue = [];
  #ids = 0;

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
  // outputs come as the notebook format has them. Of a source that needs what no browser has,
  // `partly` runs what can run.
  run(source, { onOutput = () => {}, name = "Cell", partly = false } = {}) {
    return new Promise((resolve) => {
      const message = { do: "run", id: ++this.#ids, source, name, partly };
      this.#queue.push({ message, onOutput, resolve, sent: false });
      this.start().then(() => this.#next(), (error) => this.#fail(error.message));
    });
  }

  // Ends what runs and what waits. All names are lost; the next run has a fresh interpreter.
  stop() {
    const waiting = this.#queue.splice(0);
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
    const error = { output_type: "error", ename: "Python", evalue: message, traceback: [message] };
    for (const { onOutput, resolve } of this.#queue.splice(0)) {
      onOutput(error);
      resolve({ status: "error", ms: 0, memory: 0 });
    }
  }

  #next() {
    const first = this.#queue[0];
    if (!first || first.sent || this.state !== "ready") return;
    first.sent = true;
    this.#set("busy");
    this.#worker.postMessage(first.message);
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
    await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => this.#hear(data, { onProgress, resolve, reject });
      worker.onerror = (event) => reject(new Error(event.message || "the worker did not start."));
      worker.postMessage({ do: "start", base: HERE, ...this.#list, module: this.#module });
    });
    this.generation += 1;
    this.#set("ready");
    this.#next();
  }

  #hear(data, { onProgress, resolve, reject }) {
    const first = this.#queue[0];
    ({
      progress: () => onProgress(data),
      fetching: () => this.dispatchEvent(new CustomEvent("fetching", { detail: data })),
      compiled: () => { this.#module = data.module; },
      ready: resolve,
      output: () => first?.onOutput(data.output),
      failed: () => {
        reject(new Error(data.message));
        if (!data.id) return;
        this.#end();
        this.#fail(data.message);
      },
      done: () => {
        this.#queue.shift();
        this.#set("ready");
        first.resolve({ status: data.status, ms: data.ms, memory: data.memory });
        this.#next();
      },
    })[data.say]();
  }
}
