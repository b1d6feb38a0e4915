// One lasting Python in a Web Worker. The messages are in README.md; only live.js speaks them.

const CACHE = "which-features-matter/python", LIBRARY = "/usr/local/lib";

// The course reads its own tables and scripts as files: it is unpacked into a folder.
const UNPACK = `__import__("zipfile").ZipFile("${LIBRARY}/course.zip").extractall("/course")`;
const BEGIN = `__import__("sys").path.append("/course")
__import__("guest").begin()`;

let python; // the running instance's exports
let answering = 0; // the run whose output is being sent
let ended; // how it ended, as Python said

const say = (what, more) => postMessage({ say: what, ...more });

onmessage = ({ data }) => {
  if (data.do === "start") start(data).catch((error) => say("failed", { message: error.message }));
  else run(data);
};

// ---- what is fetched, and kept ------------------------------------------------------------------

// The file as a stream: from the browser's cache if it is there, else from the server,
// and then it is kept.
async function stream(url, cache, count) {
  const kept = await cache?.match(url);
  if (kept) return kept.body.pipeThrough(count());
  const fetched = await fetch(url).catch(() => null);
  if (!fetched?.ok) throw new Error(
    `${url.split("/").pop().split("?")[0]} could not be fetched${fetched ? ` (${fetched.status})` : ""}.`);
  if (!cache) return fetched.body.pipeThrough(count());
  const [now, later] = fetched.body.tee();
  // full or forbidden: it is fetched again the next time
  cache.put(url, new Response(later)).catch(() => {});
  return now.pipeThrough(count());
}

// Unpacked, unless the server's headers have made the browser do that already.
async function unpacked(packed) {
  const reader = packed.getReader(), { value: first } = await reader.read();
  const whole = new ReadableStream({
    start: (out) => out.enqueue(first),
    async pull(out) {
      const { done, value } = await reader.read();
      if (done) out.close();
      else out.enqueue(value);
    },
  });
  return first[0] === 0x1f && first[1] === 0x8b ? whole.pipeThrough(new DecompressionStream("gzip"))
    : whole;
}

// -> { compiled, zips: {name: bytes}, kept: the memory of an earlier Python, if there is one }
async function fetchAll({ base, build, files, parts, module }, cache) {
  const names = ["library.zip", "course.zip", ...parts.map((part) => `${part}.zip`)];
  const all = module ? names : [...names, "python.wasm.gz"];
  const total = all.reduce((sum, name) => sum + files[name].bytes, 0);
  let loaded = 0;
  const count = () => new TransformStream({
    transform(chunk, out) {
      loaded += chunk.length;
      say("progress", { loaded: Math.min(loaded, total), total });
      out.enqueue(chunk);
    },
  });
  const address = (name) => `${base}${name}?${files[name].sha256.slice(0, 16)}`;
  const bytes = async (name) =>
    new Uint8Array(await new Response(await stream(address(name), cache, count)).arrayBuffer());
  const compile = async () => {
    const body = await unpacked(await stream(address("python.wasm.gz"), cache, count));
    return WebAssembly.compileStreaming(new Response(body,
      { headers: { "Content-Type": "application/wasm" } }));
  };
  const [compiled, kept, ...zips] =
    await Promise.all([module ?? compile(), recalled(memoryOf(base, build), cache),
      ...names.map(bytes)]);
  if (cache) forget(cache, [memoryOf(base, build), ...Object.keys(files).map(address)]);
  return { compiled, kept, zips: Object.fromEntries(names.map((name, i) => [name, zips[i]])) };
}

const memoryOf = (base, build) => `${base}memory?${build}`;
const recalled = (url, cache) =>
  cache?.match(url).then((found) => found?.arrayBuffer()).catch(() => undefined);

// Earlier builds of the book leave nothing behind.
async function forget(cache, wanted) {
  const known = new Set(wanted.map((address) => new URL(address, self.location.origin).href));
  const base = wanted[0].slice(0, wanted[0].lastIndexOf("/") + 1);
  for (const { url } of await cache.keys())
    if (url.startsWith(base) && url.includes("?") && !known.has(url)) cache.delete(url);
}

// ---- the interpreter ----------------------------------------------------------------------------

// Starting and importing takes seconds. So the memory of a Python that has done both is kept,
// and the next one begins with it.
async function start(wishes) {
  const began = performance.now(), cache = await self.caches?.open(CACHE).catch(() => null),
    memory = memoryOf(wishes.base, wishes.build);
  const { compiled, zips, kept } = await fetchAll(wishes, cache);
  if (!wishes.module) say("compiled", { module: compiled });
  let fresh;
  try {
    await settle(compiled, zips);
    if (kept) wake(kept);
    else python._initialize();
    step(UNPACK);
    if (!kept) {
      step(BEGIN);
      fresh = cache && python.memory.buffer.slice();
    }
    step(`__import__("guest").resume(${JSON.stringify(wishes.parts.map((part) => `${LIBRARY}/${part}.zip`))})`);
  } catch (error) {
    cache?.delete(memory); // whatever it was, the next start does not begin with it
    throw error;
  }
  say("ready", { ms: Math.round(performance.now() - began),
    memory: python.memory.buffer.byteLength });
  if (fresh) cache?.put(memory, new Response(fresh)).catch(() => {});
}

// An instance among its files, in which nothing has run yet.
async function settle(compiled, zips) {
  const root = new MemoryFolder(), library = root.folder(LIBRARY);
  root.folder("tmp");
  for (const [name, bytes] of Object.entries(zips))
    library.file(name === "library.zip" ? "python315.zip" : name, bytes);
  const system = wasi({
    // matplotlib looks for real files inside its zip: guest.py puts them there
    mounts: { "/": root, [`${LIBRARY}/plots.zip/matplotlib/mpl-data`]: new MemoryFolder() },
    environment: { TMPDIR: "/tmp", HOME: "/tmp", MPLCONFIGDIR: "/tmp",
      MPLBACKEND: "module://guest_figures", NO_COLOR: "1", PYTHONTZPATH: "",
      PYTHONHASHSEED: "0", OPENBLAS_NUM_THREADS: "1" },
    print: (name, text) => say("output",
      { id: answering, output: { output_type: "stream", name, text } }),
  });
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
    (imports[from] ??= {})[name] = from === "host" ? hostCall
      : system.calls[name] ?? system.missing;
  }
  python = (await WebAssembly.instantiate(compiled, imports)).exports;
  system.attach(python.memory);
}

// An instance has nothing that changes but its memory:
// the one other variable, the stack's pointer, is the same between calls.
function wake(kept) {
  python.memory.grow((kept.byteLength - python.memory.buffer.byteLength) / 65536);
  new Uint8Array(python.memory.buffer).set(new Uint8Array(kept));
}

function step(source) {
  if (exec(source)) throw new Error("Python did not start.");
}

// Python's way out: JSON, either an output of the notebook's format or how a run ended.
// Nothing comes back.
function hostCall(at, length, answerAt, answerLength) {
  const said = JSON.parse(
    new TextDecoder().decode(new Uint8Array(python.memory.buffer, at >>> 0, length)));
  if (said.output_type) say("output", { id: answering, output: said });
  else ended = said.ended;
  const empty = python.host_alloc(1) >>> 0, view = new DataView(python.memory.buffer);
  view.setUint32(answerAt >>> 0, empty, true);
  view.setUint32(answerLength >>> 0, 0, true);
  return 0;
}

// Source for the lasting interpreter -> 0, or 1 if an error was printed.
function exec(source) {
  const bytes = new TextEncoder().encode(source), at = python.host_alloc(bytes.length) >>> 0;
  new Uint8Array(python.memory.buffer, at, bytes.length).set(bytes);
  return python.turn(at, bytes.length);
}

function run({ id, source, name }) {
  const began = performance.now();
  [answering, ended] = [id, "error"];
  try {
    exec(`__import__("guest").run(${JSON.stringify(source)}, ${JSON.stringify(name)})`);
  } catch (error) {
    const why = error instanceof RangeError ? "it called itself too deeply" : error instanceof Exit
      ? "it was told to end" : "it ran out of memory";
    say("failed", { message: `Python has stopped: ${why}. All names are lost; run the cells above again.`, id, detail: String(error) });
    return;
  }
  say("done", { id, status: ended, ms: Math.round(performance.now() - began),
    memory: python.memory.buffer.byteLength });
}
