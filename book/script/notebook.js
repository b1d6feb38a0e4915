// The notebook of an exercise set and its page are two places for the same answers:
// what stands on the page can be downloaded as the notebook that JupyterLab would have written,
// and a notebook that was begun elsewhere can be loaded.

(() => {
  const { element, button, read, change, replace, page, root, exercises } = fi;
  const DOTS = "...  # your answer", PROSE = "*Your answer here.*";

  // As handed out: a script beside the page, because a page that is opened
  // from disk may load nothing else.
  let asking;
  fi.handedOut = () => asking ??= new Promise((resolve, reject) => {
    const script = element("script", { src: `${root}${page}.js` });
    script.onload = () => resolve(fi.notebook);
    script.onerror = () => { asking = null;
      reject(new Error("the notebook of this page was not found beside it")); };
    document.head.append(script);
  });

  const sourceOf = (cell) => [cell.source].flat().join("");
  const about = (cell, part) => cell.metadata?.fi_teach?.part === part
    ? cell.metadata.fi_teach.question : undefined;

  // What the notebook's cell would hold, or its stub while the page holds nothing.
  fi.sourceOf = (id, stub) => {
    const { code, words } = read(), { asked, given } = exercises[id];
    if (code[id]?.trim()) return code[id];
    if (asked.asks === "prose") return words[id]?.trim() ? words[id] : stub;
    const literal = given && { choice: letter, number: numbers }[asked.asks](asked, given());
    return literal ? stub.replace(DOTS, () => literal) : stub;
  };

  const letter = (asked, { letter, reason }) =>
    letter || reason ? `${JSON.stringify(letter ?? "")}${reason ? `, ${JSON.stringify(reason)}` : ""}` : "";

  function numbers(asked, given) {
    if (!asked.entries.length) return given.answer.trim() && number(given.answer.trim());
    const said = asked.entries.filter((name) => given[name].trim());
    return said.length && `{${said.map((name) => `${JSON.stringify(name)}: ${number(given[name].trim())}`).join(", ")}}`;
  }

  // Bare where Python reads the same number or fraction, else the words as they were typed.
  const BARE = RegExp(String.raw`^-?(?!0\d)\d*\.?\d+(\s?/\s?[1-9]\d*)?$`);
  const number = (typed) => BARE.test(typed) ? typed : JSON.stringify(typed);

  fi.filled = (notebook) => {
    const copy = structuredClone(notebook);
    for (const cell of copy.cells) {
      const id = about(cell, "answer");
      if (id) cell.source = fi.sourceOf(id, sourceOf(cell)).split(/(?<=\n)/);
    }
    return copy;
  };

  async function download() {
    try {
      const blank = await fi.handedOut(), mine = fi.filled(blank);
      fi.download(`${page.split("/").pop()}.ipynb`, `${JSON.stringify(mine, null, 1)}\n`,
        "application/x-ipynb+json");
      const open = blank.cells.filter((cell, k) => about(cell, "answer")
        && sourceOf(cell) === sourceOf(mine.cells[k])).length;
      say(`Downloaded${open ? `, with ${open} question${open > 1 ? "s" : ""} still open` : ""}. Hand this file in, or go on with it in JupyterLab.`);
    } catch (error) {
      say(`Not downloaded: ${error.message}.`);
    }
  }

  // The cells of a file -> they, or words that say what it is instead.
  function cellsOf(text) {
    try {
      const { cells } = JSON.parse(text);
      if (Array.isArray(cells) && cells.every((cell) => cell && typeof cell === "object"))
        return cells;
    } catch { /* it is said below */ }
    throw new Error("this file is no notebook, or is damaged: JupyterLab would not open it either");
  }

  // A cell is known by its id, else by what its metadata says.
  const answerIn = (cells, wanted) => cells.find(({ id }) => id === wanted.id) ??
    cells.find(({ metadata }) =>
      metadata?.nbgrader?.grade_id === wanted.metadata.nbgrader.grade_id) ??
    cells.find((cell) => about(cell, "answer") === about(wanted, "answer"));

  function answersOf(cells, notebook) {
    const answers = {};
    for (const wanted of notebook.cells.filter((cell) => about(cell, "answer"))) {
      const cell = answerIn(cells, wanted);
      if (cell) answers[about(wanted, "answer")] = [sourceOf(cell), sourceOf(wanted)];
    }
    if (Object.keys(answers).length) return answers;
    const other = cells.map((cell) =>
      cell.metadata?.fi_teach?.question?.split(".")[0]).find(Boolean);
    throw new Error(other ? `this is the notebook of another set, whose questions begin with “${other}.”: open the page of that set`
      : "no cell of this notebook belongs to a question of this page");
  }

  async function take(text) {
    const answers = answersOf(cellsOf(text), await fi.handedOut()), before = read();
    const given = Object.entries(answers).filter(([, [source, stub]]) => source.trim()
      && source.trim() !== stub.trim());
    change((state) => given.forEach(([id, [source, stub]]) =>
      accept(state, exercises[id].asked, source, stub)));
    show();
    const undo = () => { replace({ ...read(), answers: before.answers, words: before.words,
      code: before.code }); show(); say("As it was before."); };
    say(`Loaded: ${given.length} of ${Object.keys(answers).length} answers. What the notebook leaves open stayed as it is here. `, button("Undo", undo));
  }

  function accept({ answers, words, code }, asked, source, stub) {
    delete code[asked.id];
    if (asked.asks === "prose") { words[asked.id] = source === PROSE ? "" : source; return; }
    const read = { choice: readLetter, number: readNumbers }[asked.asks],
      typed = read?.(asked, partsOf(literalIn(source, stub)));
    if (typed) answers[asked.id] =
      { given: typed, status: fi.judge(asked, typed).status, day: fi.today() };
    else { code[asked.id] = source; delete answers[asked.id]; }
  }

  // "name = ( ... )" -> what stands between, if nothing else does
  function literalIn(source, stub) {
    const name = /^\w+/.exec(stub)?.[0];
    return new RegExp(`^\\s*${name}\\s*=\\s*(?:\\(([^]*?),?\\s*\\)|([^]*?))\\s*$`)
      .exec(source)?.slice(1).find((found) => found !== undefined)?.trim() ?? "";
  }

  // A Python literal of strings, numbers and fractions -> its parts, or none: JSON reads it
  // once each of these is a string.
  const ONE = /"(?:[^"\\\n]|\\["\\])*"|'(?:[^'\\\n]|\\['\\])*'|-?(?:\d+\.?\d*|\.\d+)(?:\s*\/\s*\d+)?/g;
  const unquoted = (text) => /^["']/.test(text) ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text;
  function partsOf(literal) {
    const json = literal.replace(ONE, (one) => JSON.stringify(unquoted(one)));
    try {
      return JSON.parse(`[${json.replace(/,\s*}$/, "}")}]`);
    } catch {
      return [];
    }
  }

  function readLetter({ options }, [letter, reason = "", ...more]) {
    return options.includes(letter) && !more.length ? { letter, reason } : null;
  }

  function readNumbers({ entries }, [one]) {
    if (!entries.length) return typeof one === "string" ? { answer: one } : null;
    const fits = ([name, value]) => entries.includes(name) && typeof value === "string";
    return one && Object.entries(one).every(fits) ? one : null;
  }

  function show() {
    Object.values(exercises).forEach(({ refill }) => refill?.());
    document.dispatchEvent(new Event("fi:loaded"));
  }

  const said = element("p", { class: "fi-how", role: "status" });
  const say = (...words) => said.replaceChildren(...words);

  const load = () => fi.choose(".ipynb,application/json", (text) => take(text).catch((error) =>
    say(`Nothing was loaded or changed: ${error.message}.`)));

  document.querySelector(".fi-points")?.after(element("p", { class: "fi-notebook" },
    button("Download my notebook", download), button("Load a notebook", load)), said);
})();
