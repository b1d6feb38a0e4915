// One lasting Python in a Web Worker. The messages are in README.md; only live.js speaks them.
// The vendored browser_wasi_shim, which the build puts in front, is WASI preview 1: `shim`.

const { WASI, WASIProcExit, File, Directory, PreopenDirectory, ConsoleStdout } = shim;
const NOTSUP = 58, NOSYS = 52; // errors of WASI
const ALL_RIGHTS = 0x1fffffffn;

const CACHE = "which-features-matter/python", LIBRARIES = "/usr/local/lib";
// Of one run the page gets this many outputs at most, and of printed text this many characters:
// a loop without an end must not fill it.
const OUTPUTS = 500, PRINTED = 100_000;
const BURST = 10, PAUSE = 100; // so many pieces of text in so many milliseconds

// matplotlib looks for real files inside its zip: guest.py puts them there
const PLOT_DATA = `${LIBRARIES}/matplotlib.zip/matplotlib/mpl-data`;
const ENVIRONMENT = ["TMPDIR=/tmp", "HOME=/tmp", "MPLCONFIGDIR=/tmp", "NO_COLOR=1",
  "MPLBACKEND=module://matplotlib_inline.backend_inline", "PYTHONTZPATH=", "PYTHONHASHSEED=0",
  "OPENBLAS_NUM_THREADS=1"];
const UNPACK = `__import__("zipfile").ZipFile("${LIBRARIES}/course.zip").extractall("/course")`;
const BEGIN = `__import__("sys").path.append("/course")
__import__("guest").begin()`;

let python; // the running instance's exports
let files; // fetched(name, options), kept(name): see filesOf
let libraries; // the folder that Python finds its libraries in
let current; // the run that is going on: see newRun
let ended; // how it ended, as Python said

const say = (what, more) => postMessage({ say: what, ...more });

onmessage = ({ data }) => {
  if (data.do === "start") start(data).catch((error) => say("failed", { message: error.message }));
  else run(data);
};

// ---- what is fetched, checked and kept ----------------------------------------------------------

const hex = (hash) => [...new Uint8Array(hash)].map((one) => one.toString(16).padStart(2, "0"))
  .join("");
const inBase64 = (sha256) =>
  btoa(String.fromCharCode(...sha256.match(/../g).map((byte) => parseInt(byte, 16))));

// files: { name: { bytes, sha256 } }
function filesOf({ base, build, files, needed }, cache) {
  const loaded = {}, wanted = {}; // bytes of each; the addresses of libraries that are kept
  const total = needed.reduce((sum, name) => sum + files[name].bytes, 0);
  const address = (name) => `${base}${name}?${files[name].sha256.slice(0, 16)}`;
  const memory = `${base}memory?${build}`;

  function counted(name, body) {
    loaded[name] = 0;
    return body.pipeThrough(new TransformStream({ transform(chunk, out) {
      loaded[name] += chunk.length;
      const sum = Object.values(loaded).reduce((a, b) => a + b, 0);
      say("progress", { loaded: Math.min(sum, total), total });
      out.enqueue(chunk);
    } }));
  }

  // What has another hash than the build wrote down is fetched again, and never kept.
  // On plain http a page may neither hash nor keep: there the browser compares.
  async function fetched(name) {
    const url = address(name), { sha256 } = files[name];
    const check = crypto.subtle ? {} : { integrity: `sha256-${inBase64(sha256)}` };
    const sources = [() => cache?.match(url), () => fetch(url, check),
      () => fetch(url, { ...check, cache: "reload" })];
    let damaged = false;
    for (const [i, source] of sources.entries()) {
      try {
        const response = await source();
        if (!response?.ok) continue;
        damaged = true; // until it is seen whole
        const bytes = await new Response(counted(name, response.body)).arrayBuffer();
        if (crypto.subtle && hex(await crypto.subtle.digest("SHA-256", bytes)) !== sha256) continue;
        if (i > 0) keep(url, bytes);
        return new Uint8Array(bytes);
      } catch { /* the next source */ }
    }
    throw new Error(damaged ? `${name} arrived damaged twice. Try again later.`
      : `${name} could not be fetched whole: is the network there?`);
  }

  // full or forbidden: it is fetched again the next time
  const keep = (url, bytes) => cache?.put(url, new Response(bytes)).catch(() => {});

  // A library that Python waits for -> "" or a sentence that says why it is not there.
  function fetchedNow(library, again) {
    const name = `${library}.zip`, request = new XMLHttpRequest();
    say("fetching", { library, bytes: files[name].bytes });
    request.open("GET", again ? `${address(name)}&again` : wanted[name] ?? address(name), false);
    request.responseType = "arraybuffer";
    try {
      request.send();
    } catch { /* its status says so */ }
    if (request.status !== 200)
      return `${library} could not be fetched: is the network there? Then run the cell again.`;
    libraries.contents.set(name, new File(request.response));
    return "";
  }

  const keepLibrary = (library) =>
    keep(address(`${library}.zip`), libraries.contents.get(`${library}.zip`).data);

  // Python cannot wait for the cache: what is kept there gets an address that it need not wait for.
  async function findKept(names) {
    for (const name of names) {
      const kept = await cache?.match(address(name));
      if (kept) wanted[name] = URL.createObjectURL(await kept.blob());
    }
  }

  const recalled = () => cache?.match(memory).then((found) => found?.arrayBuffer())
    .catch(() => undefined);
  const remember = (bytes) => keep(memory, bytes);
  const forgetMemory = () => cache?.delete(memory);

  // Earlier builds of the book leave nothing behind.
  async function forgetOthers() {
    const known = new Set([memory, ...Object.keys(files).map(address)]);
    for (const { url } of await cache?.keys() ?? [])
      if (url.startsWith(base) && url.includes("?") && !known.has(url)) cache.delete(url);
  }

  return { fetched, fetchedNow, keepLibrary, findKept, recalled, remember, forgetMemory,
    forgetOthers };
}

// ---- the interpreter ----------------------------------------------------------------------------

const compiledFrom = (packed) => WebAssembly.compileStreaming(new Response(
  new Response(packed).body.pipeThrough(new DecompressionStream("gzip")),
  { headers: { "Content-Type": "application/wasm" } }));

// Starting and importing takes seconds. So the memory of a Python that has done both is kept,
// and the next one begins with it.
async function start({ module, later, ...wishes }) {
  const began = performance.now(), cache = await self.caches?.open(CACHE).catch(() => null);
  const zips = ["library.zip", "course.zip"];
  const needed = module ? zips : [...zips, "python.wasm.bin"];
  files = filesOf({ ...wishes, needed }, cache);
  const [compiled, memory, library, course] = await Promise.all([
    module ?? files.fetched("python.wasm.bin").then(compiledFrom), files.recalled(),
    ...zips.map(files.fetched), files.findKept(Object.keys(later).map((name) => `${name}.zip`))]);
  files.forgetOthers();
  if (!module) say("compiled", { module: compiled });
  newRun(0);
  let fresh;
  try {
    await settle(compiled, { "python315.zip": library, "course.zip": course });
    if (memory) wake(memory);
    else python._initialize();
    step(UNPACK);
    if (!memory) {
      step(BEGIN);
      fresh = cache && python.memory.buffer.slice();
    }
    step(`__import__("guest").resume(${inPython(later)})`);
  } catch (error) {
    files.forgetMemory(); // whatever it was, the next start does not begin with it
    throw error;
  }
  say("ready", { ms: Math.round(performance.now() - began),
    memory: python.memory.buffer.byteLength });
  if (fresh) files.remember(fresh);
}

// An instance among its files, in which nothing has run yet.
async function settle(compiled, zips) {
  const root = new Directory(new Map());
  libraries = folderAt(root, LIBRARIES);
  folderAt(root, "tmp");
  for (const [name, bytes] of Object.entries(zips)) libraries.contents.set(name, new File(bytes));
  const opened = [new ConsoleStdout(() => {}), printer("stdout"), printer("stderr"),
    new PreopenDirectory("/", root.contents), new PreopenDirectory(PLOT_DATA, new Map())];
  const system = new WASI(["python"], ENVIRONMENT, opened, { debug: false });
  const calls = callsOf(system), imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(compiled))
    (imports[from] ??= {})[name] = from === "host" ? hostCall : calls[name] ?? (() => NOSYS);
  python = (await WebAssembly.instantiate(compiled, imports)).exports;
  system.inst = { exports: python };
}

// The folder at a path below another one; what is missing on the way is made.
function folderAt(root, path) {
  return path.split("/").filter(Boolean).reduce((at, name) => {
    if (!at.contents.has(name)) at.contents.set(name, new Directory(new Map()));
    return at.contents.get(name);
  }, root);
}

function printer(name) {
  const words = new TextDecoder();
  return new ConsoleStdout((bytes) =>
    put({ output_type: "stream", name, text: words.decode(bytes, { stream: true }) }));
}

// One clock in nanoseconds for all: none goes back when a stored memory goes on in another worker.
const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));

// What WebAssembly imports: the shim's calls, and what a page needs otherwise.
function callsOf(system) {
  const view = () => new DataView(python.memory.buffer);
  const calls = {
    ...system.wasiImport,
    clock_time_get(clock, precision, at) {
      view().setBigUint64(at, now(), true);
      return 0;
    },
    // Python's sleep: one clock that is waited for. Nothing else can be waited for here.
    poll_oneoff(asked, told, count, happened) {
      const memory = view(), isClock = memory.getUint8(asked + 8) === 0;
      if (count !== 1 || !isClock) return NOTSUP;
      const time = memory.getBigUint64(asked + 24, true),
        absolute = memory.getUint16(asked + 40, true) & 1, until = absolute ? time : now() + time;
      while (now() < until) continue;
      new Uint8Array(memory.buffer, told, 32).fill(0);
      memory.setBigUint64(told, memory.getBigUint64(asked, true), true);
      memory.setUint32(happened, 1, true);
      return 0;
    },
    // Everything is allowed: else matplotlib takes /tmp for a folder that it cannot write to.
    fd_fdstat_get(fd, at) {
      const error = system.wasiImport.fd_fdstat_get(fd, at);
      for (const rights of [8, 16]) view().setBigUint64(at + rights, ALL_RIGHTS, true);
      return error;
    },
  };
  // Addresses beyond 2 GB come as negative numbers.
  const unsigned = (call) => (...given) =>
    call(...given.map((one) => typeof one === "number" ? one >>> 0 : one));
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, unsigned(call)]));
}

// An instance has nothing that changes but its memory:
// the one other variable, the stack's pointer, is the same between calls.
function wake(memory) {
  python.memory.grow((memory.byteLength - python.memory.buffer.byteLength) / 65536);
  new Uint8Array(python.memory.buffer).set(new Uint8Array(memory));
}

function step(source) {
  if (exec(source)) throw new Error("Python did not start.");
}

// Python's way out: JSON in, words back.
function hostCall(at, length, answerAt, answerLength) {
  const text = new TextDecoder().decode(new Uint8Array(python.memory.buffer, at >>> 0, length));
  const said = JSON.parse(text);
  let answer = "";
  if (said.output_type) put(said);
  else if (said.fetch) answer = files.fetchedNow(said.fetch, said.again);
  else if (said.keep) files.keepLibrary(said.keep);
  else ended = said.ended;
  const bytes = new TextEncoder().encode(answer),
    place = python.host_alloc(Math.max(1, bytes.length)) >>> 0;
  new Uint8Array(python.memory.buffer, place).set(bytes);
  const view = new DataView(python.memory.buffer);
  view.setUint32(answerAt >>> 0, place, true);
  view.setUint32(answerLength >>> 0, bytes.length, true);
  return 0;
}

// Source for the lasting interpreter -> 0, or 1 if an error was printed.
function exec(source) {
  const bytes = new TextEncoder().encode(source), at = python.host_alloc(bytes.length) >>> 0;
  new Uint8Array(python.memory.buffer, at, bytes.length).set(bytes);
  return python.turn(at, bytes.length);
}

// ---- a run, and what it puts out ----------------------------------------------------------------

function newRun(id) {
  current = { id, outputs: OUTPUTS, characters: PRINTED, waiting: null, stream: null, paused: 0,
    messages: 0 };
  ended = "error";
}

function run({ id, source, name, partly }) {
  const began = performance.now(), call = partly ? [source] : [source, name];
  newRun(id);
  try {
    exec(`__import__("guest").${partly ? "run_what_can" : "run"}(*${inPython(call)})`);
  } catch (error) {
    const why = error instanceof RangeError ? "it called itself too deeply"
      : error instanceof WASIProcExit ? "it was told to end" : "it ran out of memory";
    const message = `Python has stopped: ${why}. All names are lost; run the cells above again.`;
    say("failed", { id, message, detail: String(error) });
    return;
  }
  release();
  say("done", { id, status: ended, ms: Math.round(performance.now() - began),
    memory: python.memory.buffer.byteLength });
}

const inPython = (value) => `__import__("json").loads(${JSON.stringify(JSON.stringify(value))})`;
const send = (output) => say("output", { id: current.id, output });

// An output on its way to the page. Of text that comes faster than a page can show it,
// the pieces are joined.
function put(output) {
  const prints = output.output_type === "stream";
  if (output.output_type !== "error") {
    if (current.outputs <= 0 || (prints && current.characters <= 0)) return;
    if (!prints || output.name !== current.stream) current.outputs -= 1;
    if (prints) output.text = output.text.slice(0, current.characters);
    if (prints) current.characters -= output.text.length;
  }
  if (prints && current.waiting?.name === output.name) current.waiting.text += output.text;
  else {
    release();
    current.waiting = output;
  }
  current.stream = output.name;
  if (!prints || mayGo()) release();
  const full = !current.outputs ? `${OUTPUTS} outputs`
    : prints && !current.characters ? `${PRINTED} printed characters` : "";
  if (full) {
    release();
    send({ output_type: "stream", name: "stderr",
      text: `\nA page shows the first ${full} of a run. The rest is left out.\n` });
  }
}

function release() {
  if (current.waiting) send(current.waiting);
  current.waiting = null;
}

function mayGo() {
  const time = performance.now();
  if (time > current.paused + PAUSE) [current.paused, current.messages] = [time, BURST];
  return current.messages-- > 0;
}
