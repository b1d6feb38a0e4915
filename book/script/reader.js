// What a reader has guessed and answered stays in this browser:
// one entry of its storage, sent nowhere.
// The storage may be missing, full, forbidden or filled with something else:
// then all works until the page is left.

window.fi = (() => {
  const KEY = "which-features-matter";
  const EMPTY = { guesses: {}, answers: {}, skipped: {}, words: {}, code: {}, edits: {},
    settings: {}, place: null };
  let memory = null; // what the storage would hold, if it cannot

  // An entry that is not ours is taken for an empty one; parts that are missing are empty.
  function shaped(entry) {
    const whole = {};
    for (const [part, empty] of Object.entries(EMPTY)) {
      const fits = entry && typeof entry[part] === "object" && entry[part] !== null
        && !Array.isArray(entry[part]);
      whole[part] = fits ? entry[part] : structuredClone(empty);
    }
    return whole;
  }

  function read() {
    if (memory) return memory;
    try {
      return shaped(JSON.parse(localStorage.getItem(KEY)));
    } catch {
      return shaped(null);
    }
  }

  function write(state) {
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch {
      memory = state;
    }
    document.dispatchEvent(new Event("fi:changed"));
  }

  // change((state) => { state.guesses[id] = ...; })
  function change(edit) {
    const state = read();
    edit(state);
    write(state);
  }

  function forget() {
    memory = null;
    try {
      localStorage.removeItem(KEY);
    } catch { /* there was nothing to forget */ }
    forgetPython().catch(() => { /* nor here */ });
    document.dispatchEvent(new Event("fi:changed"));
  }

  // What "Run Python in this page" made the browser keep: Python, its libraries, the pages.
  async function forgetPython() {
    for (const name of await caches.keys()) if (name.startsWith(`${KEY}/`))
      await caches.delete(name);
    await (await navigator.serviceWorker.getRegistration())?.unregister();
  }

  // element("p", { class: "note" }, "words", other, ...) -> the element;
  // a value of true is a bare attribute, of false none
  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== false)
      made.setAttribute(name, value === true ? "" : value);
    made.append(...children);
    return made;
  }

  function button(words, onclick, kind = "fi-quiet") {
    const made = element("button", { type: "button", class: kind }, words);
    made.addEventListener("click", onclick);
    return made;
  }

  // `code`, *emphasis* and **strong** words -> the parts of a text
  function marked(text) {
    return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*\S[^*`]*\*)/).map((part) => {
      const [, sign, words] = /^(`|\*\*?)(.+)\1$/.exec(part) ?? [];
      return sign ? element({ "`": "code", "*": "em", "**": "strong" }[sign], {}, words) : part;
    });
  }

  function download(name, text, type = "application/json") {
    const link = element("a",
      { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // Let the reader choose a file, whose text is used.
  function choose(accept, use) {
    const input = element("input", { type: "file", accept });
    input.addEventListener("change", async () => use(await input.files[0].text()));
    input.click();
  }

  const page = typeof DOCUMENTATION_OPTIONS === "undefined" ? "" : DOCUMENTATION_OPTIONS.pagename;
  const root = document.documentElement.dataset.content_root ?? "";
  const today = () => Math.floor(Date.now() / 864e5); // days since 1970
  return { read, change, forget, replace: (entry) => write(shaped(entry)), element, button, marked,
    download, choose, page, root, today };
})();
