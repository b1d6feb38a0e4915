// The operating system of one Python: files in memory, what it prints, clocks and chance.
// The vendored browser_wasi_shim is WASI preview 1; here is what a page needs otherwise.
// The build joins vendor/wasi-shim.js, this file and worker.js into one script.

const { WASI, WASIProcExit, File, Directory, PreopenDirectory, ConsoleStdout } = shim;
const NOTSUP = 58, NOSYS = 52; // errors of WASI
const ALL_RIGHTS = 0x1fffffffn;

// One clock in nanoseconds for all: none goes back when a stored memory goes on in another worker.
const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));

// The folder at a path below another one; what is missing on the way is made.
function folderAt(root, path) {
  return path.split("/").filter(Boolean).reduce((at, name) => {
    if (!at.contents.has(name)) at.contents.set(name, new Directory(new Map()));
    return at.contents.get(name);
  }, root);
}

function printer(name, print) {
  const words = new TextDecoder();
  return new ConsoleStdout((bytes) => print(name, words.decode(bytes, { stream: true })));
}

// wasi({ environment: { NAME: value }, mounts: { "/": folder }, print(name, text) })
// -> { calls: what WebAssembly imports, missing: for others that it imports, attach(memory) }
function wasi({ environment, mounts, print }) {
  const variables = Object.entries(environment).map((pair) => pair.join("="));
  const opened = [new ConsoleStdout(() => {}), printer("stdout", print), printer("stderr", print)];
  for (const [path, folder] of Object.entries(mounts))
    opened.push(new PreopenDirectory(path, folder.contents));
  const system = new WASI(["python"], variables, opened, { debug: false });
  const view = () => new DataView(system.inst.exports.memory.buffer);

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
  for (const name of Object.keys(calls)) calls[name] = unsigned(calls[name]);
  return { calls, missing: () => NOSYS, attach(memory) { system.inst = { exports: { memory } }; } };
}
