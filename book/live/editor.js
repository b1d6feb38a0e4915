// A small editor for Python: a text area, which every keyboard, screen reader and phone knows,
// over its own text in colours.
// Tab indents, Shift+Tab dedents, Escape lets the next Tab leave; Enter keeps the indentation;
// Ctrl+/ comments; brackets and quotes come in pairs; Ctrl+Enter or Shift+Enter runs.

const { element } = fi; // of reader.js, which every page has
const INDENT = "    ";
const PAIRS = { "(": ")", "[": "]", "{": "}", '"': '"', "'": "'" };
const CLOSERS = new Set(Object.values(PAIRS));
const HELP = "Tab indents, Escape and then Tab leaves, Control Enter runs, Control slash comments.";
let count = 0;

const KEYWORDS = "and as assert async await break class continue def del elif else except " +
  "finally for from global if import in is lambda match nonlocal not or pass raise return try " +
  "while with yield";
const CONSTANTS = "True False None";
const BUILTINS = "abs all any bool dict enumerate filter float int isinstance len list map max " +
  "min next object open print range reversed round set sorted str sum super tuple type zip " +
  "ValueError TypeError KeyError IndexError AssertionError Exception NotImplementedError";
const of = (words, kind) => words.split(" ").map((word) => [word, kind]);
const NAMES = new Map([...of(KEYWORDS, "k"), ...of(CONSTANTS, "kc"), ...of(BUILTINS, "nb")]);
const TOKEN = new RegExp([
  /(?<c1>#[^\n]*)/, /(?<s1>[rbuftRBUFT]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)))/,
  /(?<s2>[rbuftRBUFT]{0,2}(?:"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
  /(?<nd>^[ \t]*@[\w.]+)/,
  /(?<mi>\b(?:0[xob][\da-fA-F_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?j?|\.\d+(?:[eE][+-]?\d+)?)\b)/,
  /(?<word>[A-Za-z_]\w*)/,
  /(?<o>[-+*/%@&|^~<>=!]+)/].map((part) => part.source).join("|"), "gm");

// The source as the pages' own highlighting would have it: <span class="k">def</span> ...
function coloured(source) {
  const whole = document.createDocumentFragment();
  let at = 0, before = "";
  for (const found of source.matchAll(TOKEN)) {
    const [kind, text] = Object.entries(found.groups).find(([, value]) => value !== undefined);
    const named = kind === "word"
      ? (before === "def" ? "nf" : before === "class" ? "nc" : NAMES.get(text)) : kind;
    whole.append(source.slice(at, found.index));
    whole.append(named ? element("span", { class: named }, text) : text);
    at = found.index + text.length;
    before = text;
  }
  whole.append(source.slice(at), "\n"); // a last empty line has its height
  return whole;
}

export function makeEditor(place, source, { label, onRun, onChange }) {
  const help = element("span", { class: "fi-editor-help", id: `fi-editor-help-${++count}` }, HELP);
  const area = element("textarea", { class: "fi-source", spellcheck: "false", wrap: "off",
    autocapitalize: "off", autocomplete: "off", autocorrect: "off", "aria-label": label,
    "aria-describedby": help.id });
  // No <pre>: the theme's script lets the focus into each that scrolls.
  const colours = element("div", { class: "fi-colours", "aria-hidden": "true" });
  place.replaceChildren(element("div", { class: "fi-editor highlight" }, colours, area, help));
  let leaving = false;

  function paint() {
    area.rows = area.value.split("\n").length;
    colours.replaceChildren(coloured(area.value));
  }

  // Type it as a keyboard would, so that undo knows it.
  function type(text, from = area.selectionStart, to = area.selectionEnd) {
    area.setSelectionRange(from, to);
    const typed = text ? document.execCommand("insertText", false, text)
      : from === to || document.execCommand("delete");
    if (!typed) {
      area.setRangeText(text, from, to, "end");
      area.dispatchEvent(new Event("input"));
    }
  }

  const lineStart = (at) => area.value.lastIndexOf("\n", at - 1) + 1;

  // Change each line of the selection, and keep it selected.
  function lines(change) {
    const from = lineStart(area.selectionStart), single = area.selectionStart === area.selectionEnd,
      at = area.selectionStart;
    const next = area.value.indexOf("\n", Math.max(area.selectionEnd - (single ? 0 : 1), from)),
      to = next < 0 ? area.value.length : next;
    const old = area.value.slice(from, to), changed = change(old.split("\n")).join("\n");
    type(changed, from, to);
    if (single) area.setSelectionRange(Math.max(from, at + changed.length - old.length),
      Math.max(from, at + changed.length - old.length));
    else area.setSelectionRange(from, from + changed.length);
  }

  const dedented = (all) => all.map((line) => line.replace(/^( {1,4}|\t)/, ""));
  const indented = (all) => all.map((line) => (line ? INDENT + line : line));
  const commented = (all) => {
    const on = all.some((line) => line.trim() && !/^\s*#/.test(line));
    return all.map((line) => on ? line.replace(/^(\s*)(?=\S)/, "$1# ")
      : line.replace(/^(\s*)# ?/, "$1"));
  };

  function newLine() {
    const line = area.value.slice(lineStart(area.selectionStart), area.selectionStart),
      indent = /^\s*/.exec(line)[0];
    const deeper = /[:([{]\s*(#.*)?$/.test(line),
      less = /^\s*(return|pass|break|continue|raise)\b/.test(line);
    type(`\n${deeper ? indent + INDENT : less ? indent.slice(INDENT.length) : indent}`);
  }

  // The caret stands between: type the second of a pair, step over it,
  // or surround what is selected.
  function pair(key) {
    const { selectionStart: from, selectionEnd: to, value } = area, next = value[to] ?? "",
      before = value[from - 1] ?? "";
    if (from === to && CLOSERS.has(key) && next === key)
      return area.setSelectionRange(to + 1, to + 1) ?? true;
    if (!(key in PAIRS)) return false;
    const quote = key === PAIRS[key];
    if (from === to && (/\w/.test(next) || (quote && (/\w/.test(before) || before === key))))
      return false;
    type(key + value.slice(from, to) + PAIRS[key]);
    area.setSelectionRange(from + 1, to + 1);
    return true;
  }

  function backspace() {
    const { selectionStart: at, selectionEnd: to, value } = area,
      before = value.slice(lineStart(at), at);
    if (at !== to) return false;
    if (value[at - 1] in PAIRS && PAIRS[value[at - 1]] === value[at])
      return type("", at - 1, at + 1) ?? true;
    if (!before || before.trim() || before.length % 4) return false;
    return type("", at - 4, at) ?? true;
  }

  function press(event) {
    const { key, shiftKey } = event, command = event.ctrlKey || event.metaKey;
    const done = () => {
      if (key === "Enter" && (command || shiftKey)) return onRun() ?? true;
      if (event.isComposing || event.altKey) return false;
      if (key === "Tab" && !leaving && !command) {
        if (shiftKey) lines(dedented);
        else if (area.value.slice(area.selectionStart, area.selectionEnd).includes("\n"))
          lines(indented);
        else type(INDENT.slice((area.selectionStart - lineStart(area.selectionStart)) % 4));
        return true;
      }
      if (key === "/" && command) return lines(commented) ?? true;
      if (command) return false;
      if (key === "Enter") return newLine() ?? true;
      return key === "Backspace" ? backspace() : pair(key);
    };
    if (done()) event.preventDefault();
    if (key !== "Shift") leaving = key === "Escape";
  }

  area.addEventListener("keydown", press);
  area.addEventListener("blur", () => { leaving = false; });
  area.addEventListener("input", () => { paint(); onChange(); });
  area.addEventListener("scroll", () => { colours.scrollLeft = area.scrollLeft; });
  area.value = source;
  paint();

  return {
    focus: () => area.focus(),
    get source() { return area.value; },
    set source(text) { area.value = text; paint(); },
  };
}
