// The operating system of one Python: files in memory, what it prints, clocks and chance,
// as WASI preview 1 wants them.
// No network, no processes, no links. The build joins this file and worker.js into one script.

const FINE = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSYS = 52, NOTDIR = 54,
  NOTEMPTY = 55, SPIPE = 70;
const CHARACTERS = 2, DIRECTORY = 3, FILE = 4; // kinds of file
const CREATE = 1, MUST_BE_DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8, APPEND = 1;

class Exit extends Error {}

// ---- files in memory ----------------------------------------------------------------------------

let inodes = 1n;

class MemoryFile {
  kind = FILE;
  ino = inodes++;
  changed = now();

  constructor(bytes = new Uint8Array(0)) {
    this.bytes = bytes;
    this.size = bytes.length;
  }

  read(at, into) {
    const part = this.bytes.subarray(Math.min(at, this.size),
      Math.min(at + into.length, this.size));
    into.set(part);
    return part.length;
  }

  write(at, from) {
    this.resize(Math.max(this.size, at + from.length));
    this.bytes.set(from, at);
    this.changed = now();
    return from.length;
  }

  resize(size) {
    if (size > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(size, 2 * this.bytes.length));
      bytes.set(this.bytes.subarray(0, this.size));
      this.bytes = bytes;
    } else this.bytes.fill(0, size, this.size);
    this.size = size;
  }
}

class MemoryFolder {
  kind = DIRECTORY;
  ino = inodes++;
  changed = now();
  size = 0;
  entries = new Map();

  // folder("usr/local/lib") makes what is missing on the way
  folder(path) {
    return path.split("/").filter(Boolean).reduce((at, name) => {
      if (!at.entries.has(name)) at.entries.set(name, new MemoryFolder());
      return at.entries.get(name);
    }, this);
  }

  file(name, bytes) {
    this.entries.set(name, new MemoryFile(bytes));
  }
}

// What is written to it goes to a function, as text; nothing is ever read from it.
class Printer {
  kind = CHARACTERS;
  ino = inodes++;
  changed = 0n;
  size = 0;
  words = new TextDecoder();

  constructor(print) {
    this.print = print;
  }

  read() {
    return 0;
  }

  write(at, from) {
    this.print(this.words.decode(from, { stream: true }));
    return from.length;
  }
}

function now() {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
}

// ---- the calls ----------------------------------------------------------------------------------

// wasi({ environment: { NAME: value }, mounts: { "/":
// folder }, print(name, text) }) -> { calls, attach(memory) }
function wasi({ environment, mounts, print }) {
  let memory;
  const opened = [{ node: new Printer(() => {}) },
    { node: new Printer((text) => print("stdout", text)) },
    { node: new Printer((text) => print("stderr", text)) },
    ...Object.entries(mounts).map(([path, node]) => ({ node, path }))].map((file) =>
    ({ at: 0, flags: 0, ...file }));
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at >>> 0, length);
  const text = (at, length) => new TextDecoder().decode(bytes(at, length));
  const put32 = (at, value) => view().setUint32(at >>> 0, value, true);
  const put64 = (at, value) => view().setBigUint64(at >>> 0, BigInt(value), true);
  const encoded = (words) => words.map((word) => new TextEncoder().encode(`${word}\0`));

  function sizes(words) {
    return (count, length) => {
      put32(count, words.length);
      put32(length, encoded(words).reduce((sum, word) => sum + word.length, 0));
      return FINE;
    };
  }

  function strings(words) {
    return (pointers, at) => {
      encoded(words).forEach((word, i) => {
        put32(pointers + 4 * i, at);
        bytes(at, word.length).set(word);
        at += word.length;
      });
      return FINE;
    };
  }

  // The folder that holds what a path names, and its last name: "" for the folder itself;
  // or an error.
  function locate(fd, at, length) {
    const start = opened[fd];
    if (!start) return { error: BADF };
    const names = [], folders = [start.node];
    for (const name of text(at, length).split("/")) if (name && name !== ".") names.push(name);
    for (const [i, name] of names.entries()) {
      const folder = folders.at(-1);
      if (folder.kind !== DIRECTORY) return { error: NOTDIR };
      if (name === "..") {
        if (folders.length > 1) folders.pop();
      } else if (i === names.length - 1) return { folder, name, node: folder.entries.get(name) };
      else if (!folder.entries.has(name)) return { error: NOENT };
      else folders.push(folder.entries.get(name));
    }
    return { folder: folders.at(-1), name: "", node: folders.at(-1) };
  }

  function putStat(node, at) {
    bytes(at, 64).fill(0);
    put64(at + 8, node.ino);
    view().setUint8(at + 16, node.kind);
    put64(at + 24, 1);
    put64(at + 32, node.size);
    for (const time of [40, 48, 56]) put64(at + time, node.changed);
    return FINE;
  }

  // Each of the listed pieces of memory, through `move(piece, offset) -> bytes moved`,
  // until one is short.
  function pieces(list, count, moved, move) {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const length = view().getUint32(list + 8 * i + 4, true);
      const done = move(bytes(view().getUint32(list + 8 * i, true), length), sum);
      sum += done;
      if (done < length) break;
    }
    put32(moved, sum);
    return sum;
  }

  function moving(verb) {
    return (fd, list, count, moved) => {
      const file = opened[fd];
      if (!file) return BADF;
      if (file.node.kind === DIRECTORY) return ISDIR;
      if (verb === "write" && file.flags & APPEND) file.at = file.node.size;
      file.at += pieces(list, count, moved,
        (piece, offset) => file.node[verb](file.at + offset, piece));
      return FINE;
    };
  }

  function movingAt(verb) {
    return (fd, list, count, at, moved) => {
      if (!opened[fd]) return BADF;
      pieces(list, count, moved,
        (piece, offset) => opened[fd].node[verb](Number(at) + offset, piece));
      return FINE;
    };
  }

  function removing(kind, wrongKind) {
    return (fd, at, length) => {
      const { error, folder, name, node } = locate(fd, at, length);
      if (error || !node) return error || NOENT;
      if (node.kind !== kind) return wrongKind;
      if (kind === DIRECTORY && node.entries.size) return NOTEMPTY;
      folder.entries.delete(name);
      return FINE;
    };
  }

  const variables = Object.entries(environment).map((pair) => pair.join("="));
  const nothing = () => FINE;

  const calls = {
    args_sizes_get: sizes(["python"]),
    args_get: strings(["python"]),
    environ_sizes_get: sizes(variables),
    environ_get: strings(variables),

    clock_res_get(clock, at) {
      put64(at, 1000);
      return FINE;
    },
    clock_time_get(clock, precision, at) {
      // all clocks, so that none goes back when a kept memory wakes in another worker
      put64(at, now());
      return FINE;
    },
    random_get(at, length) {
      for (let done = 0; done < length; done += 65536)
        crypto.getRandomValues(bytes(at + done, Math.min(65536, length - done)));
      return FINE;
    },
    // Only waiting can be asked for: the latest of the times, then all are told.
    poll_oneoff(asked, told, count, happened) {
      for (let i = 0; i < count; i++) {
        const clock = view().getUint8(asked + 48 * i + 8) === 0;
        const wait = clock ? Number(view().getBigUint64(asked + 48 * i + 24, true)) / 1e6 : 0;
        const absolute = clock && view().getUint16(asked + 48 * i + 40, true) & 1;
        const until = absolute ? wait : performance.now() + wait;
        while (performance.now() < until) continue;
        bytes(told + 32 * i, 32).fill(0);
        put64(told + 32 * i, view().getBigUint64(asked + 48 * i, true));
        view().setUint8(told + 32 * i + 10, view().getUint8(asked + 48 * i + 8));
      }
      put32(happened, count);
      return FINE;
    },
    proc_exit(code) {
      throw new Exit(`Python ended with ${code}`);
    },
    sched_yield: nothing,

    fd_prestat_get(fd, at) {
      if (opened[fd]?.path === undefined) return BADF;
      put32(at, 0);
      put32(at + 4, new TextEncoder().encode(opened[fd].path).length);
      return FINE;
    },
    fd_prestat_dir_name(fd, at, length) {
      bytes(at, length).set(new TextEncoder().encode(opened[fd].path));
      return FINE;
    },
    fd_fdstat_get(fd, at) {
      if (!opened[fd]) return BADF;
      bytes(at, 24).fill(0);
      view().setUint8(at, opened[fd].node.kind);
      view().setUint16(at + 2, opened[fd].flags, true);
      for (const rights of [8, 16]) put64(at + rights, 0x1fffffffn);
      return FINE;
    },
    fd_fdstat_set_flags(fd, flags) {
      opened[fd].flags = flags;
      return FINE;
    },
    fd_filestat_get: (fd, at) => opened[fd] ? putStat(opened[fd].node, at) : BADF,
    fd_filestat_set_size(fd, size) {
      opened[fd].node.resize(Number(size));
      return FINE;
    },
    fd_filestat_set_times: nothing,
    fd_advise: nothing,
    fd_datasync: nothing,
    fd_sync: nothing,
    fd_read: moving("read"),
    fd_write: moving("write"),
    fd_pread: movingAt("read"),
    fd_pwrite: movingAt("write"),
    fd_seek(fd, offset, whence, at) {
      const file = opened[fd];
      if (!file) return BADF;
      if (file.node.kind === CHARACTERS) return SPIPE;
      const place = [0, file.at, file.node.size][whence] + Number(offset);
      if (!(place >= 0)) return INVAL;
      file.at = place;
      put64(at, place);
      return FINE;
    },
    fd_tell(fd, at) {
      put64(at, opened[fd].at);
      return FINE;
    },
    fd_readdir(fd, at, length, cookie, used) {
      const entries = [...opened[fd].node.entries];
      let done = 0;
      for (let i = Number(cookie); i < entries.length && done < length; i++) {
        const [name, node] = entries[i], word = new TextEncoder().encode(name),
          entry = new DataView(new ArrayBuffer(24));
        entry.setBigUint64(0, BigInt(i + 1), true);
        entry.setBigUint64(8, node.ino, true);
        entry.setUint32(16, word.length, true);
        entry.setUint8(20, node.kind);
        for (const part of [new Uint8Array(entry.buffer), word]) {
          const fits = part.subarray(0, length - done);
          bytes(at + done, fits.length).set(fits);
          done += fits.length;
        }
      }
      put32(used, done);
      return FINE;
    },
    fd_close(fd) {
      if (!opened[fd]) return BADF;
      delete opened[fd];
      return FINE;
    },

    path_open(fd, follow, at, length, how, rights, inherited, flags, result) {
      const { error, folder, name, node } = locate(fd, at, length);
      if (error) return error;
      if (node ? how & CREATE && how & EXCLUSIVE : !(how & CREATE)) return node ? EXIST : NOENT;
      if (how & MUST_BE_DIRECTORY && node?.kind !== DIRECTORY) return NOTDIR;
      if (!node) folder.file(name);
      const file = folder.entries.get(name) ?? node;
      if (how & TRUNCATE && file.kind === FILE) file.resize(0);
      const free = opened.findIndex((one, i) => i > 2 && !one),
        number = free < 0 ? opened.length : free;
      opened[number] = { node: file, at: 0, flags };
      put32(result, number);
      return FINE;
    },
    path_filestat_get(fd, follow, at, length, stat) {
      const { error, node } = locate(fd, at, length);
      return error || !node ? error || NOENT : putStat(node, stat);
    },
    path_filestat_set_times: nothing,
    path_create_directory(fd, at, length) {
      const { error, folder, name, node } = locate(fd, at, length);
      if (error || node) return error || EXIST;
      folder.entries.set(name, new MemoryFolder());
      return FINE;
    },
    path_remove_directory: removing(DIRECTORY, NOTDIR),
    path_unlink_file: removing(FILE, ISDIR),
    path_rename(fd, at, length, newFd, newAt, newLength) {
      const old = locate(fd, at, length), target = locate(newFd, newAt, newLength);
      if (old.error || target.error || !old.node) return old.error || target.error || NOENT;
      old.folder.entries.delete(old.name);
      target.folder.entries.set(target.name, old.node);
      return FINE;
    },
    path_readlink: () => INVAL,
  };

  return { calls, attach(itsMemory) { memory = itsMemory; }, missing: () => NOSYS };
}
