// Judges a letter, a number or several by the specification that the page carries, word for word as
// the course's Python does (fi_course/questions: hashed_answers.py, parse_answer.py, values.py).
// Nothing can be read out of a specification: what is said to an answer opens with that answer.
// `fi.forms` is the table of fi_course/questions/answer_forms.py; the book puts it in front.
// Its SHA-256 is here because browsers keep theirs to https.

fi.judge = (() => {
  const bytesOf = (text) => new TextEncoder().encode(text);
  const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const unhex = (digits) => Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
  const xor = (one, other) => one.map((byte, i) => byte ^ other[i]);

  // ---- SHA-256 (FIPS 180-4): constants from the roots of the first 64 primes, then the rounds ---

  const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const START = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const ROUND = primes.map((p) => fraction(Math.cbrt(p)));
  const turn = (x, n) => (x >>> n) | (x << (32 - n));

  function sha256(text) {
    const message = bytesOf(text),
      blocks = new DataView(new ArrayBuffer(((message.length + 72) >> 6) << 6));
    message.forEach((byte, i) => blocks.setUint8(i, byte));
    blocks.setUint8(message.length, 128);
    blocks.setUint32(blocks.byteLength - 4, message.length * 8);
    const state = [...START], w = [];
    for (let at = 0; at < blocks.byteLength; at += 64) {
      let [a, b, c, d, e, f, g, h] = state;
      for (let t = 0; t < 64; t++) {
        const u = w[t - 15], v = w[t - 2];
        w[t] = t < 16 ? blocks.getInt32(at + 4 * t)
          : (w[t - 16] + w[t - 7] + (turn(u, 7) ^ turn(u, 18) ^ (u >>> 3))
            + (turn(v, 17) ^ turn(v, 19) ^ (v >>> 10))) | 0;
        const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[t]
          + w[t]) | 0;
        const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
      }
      [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] = (state[i] + word) | 0; });
    }
    const out = new DataView(new ArrayBuffer(32));
    state.forEach((word, i) => out.setInt32(4 * i, word));
    return new Uint8Array(out.buffer);
  }

  // ---- hashed_answers.py ------------------------------------------------------------------------

  const tag = (word) => hex(sha256(word)).slice(0, 16);

  function cell(x, width) {
    let size = Math.abs(x), halvings = 0;
    for (; size >= 2; size /= 2) halvings++;
    return Math.floor((Math.sign(x) * (halvings + size)) / width);
  }

  function hexOf(x) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, x);
    return hex(new Uint8Array(view.buffer));
  }

  function unpad(word, sealed) {
    return new DataView(xor(unhex(sealed), sha256(word).slice(8, 16)).buffer).getFloat64(0);
  }

  function unseal(sealed, key) {
    const data = Uint8Array.from(atob(sealed), (letter) => letter.charCodeAt(0));
    for (let at = 0; at < data.length; at += 32)
      data.set(xor(data.slice(at, at + 32), sha256(`${key}|${at / 32}`)), at);
    return new TextDecoder().decode(data);
  }

  // ---- parse_answer.py: a number in words, by the table of answer_forms.py ----------------------

  const form = (pattern, more = "") => new RegExp(pattern, `iu${more}`);
  const replaced = (text, name) => fi.forms[name].reduce((left, [pattern, replacement]) =>
    left.replace(form(pattern, "g"), replacement), text);
  const decimal = (digits) => Number(digits.replace(",", "."));

  // "60 %" -> { number: 0.6, unit: "" }; the number of what is none is null
  function numberAndUnit(text) {
    const tidy = text.length > fi.forms.longest ? ""
      : replaced(replaced(text, "before").normalize("NFKC"), "tidy");
    const sides = [tidy, ...fi.forms.equation.map((rest) => tidy.replace(form(rest), ""))];
    const found = sides.map((side) => form(fi.forms.number).exec(side)).find(Boolean);
    const [, currency = "", sign, whole, above, power = 1, below = "1", unit = ""] = found ?? [];
    const twoWays = [above, below].some((part) => part && form(fi.forms.two_ways).test(part));
    if (!found || decimal(below) === 0 || twoWays || form(fi.forms.hedge).test(tidy))
      return { number: null, unit: "" };
    const size = decimal(above) ** power / decimal(below) + Number(whole ?? 0);
    const percent = form(fi.forms.percent).exec(unit)?.[0];
    return { number: (sign === "-" ? -size : size) / (percent ? 100 : 1),
      unit: percent ? unit.slice(percent.length) : `${currency} ${unit}`.trim() };
  }

  const unitWords = (unit) =>
    replaced(replaced(unit, "before").normalize("NFKC").toLowerCase(), "unit").trim();

  function isUnit(unit, wanted) {
    const words = unitWords(unit);
    return !words || form(fi.forms.no_unit).test(words)
      || wanted.some((one) => ` ${words} `.includes(` ${unitWords(one)} `));
  }

  // What "3 out of 4" may mean, else null.
  function shareIn(number, unit) {
    const whole = decimal(form(fi.forms.out_of).exec(unit)?.[1] ?? "0");
    return whole ? number / whole : null;
  }

  // ---- values.py: a letter, a number, several ---------------------------------------------------

  const wrong = (message, mistake = "") => ({ status: "wrong", mistake, message });
  const listed = (names) => names.map((name) => `\`${name}\``).join(", ");
  const open = (sealed, key) => JSON.parse(unseal(sealed, key));

  const IN_PER_CENT = [
    'You count in per cent: write a share such as 0.05, or the sign, as in `"5 %"`.',
    "per cent without its sign"];

  function judgeChoice(asked, { letter, reason }) {
    if (!letter && !reason) return null;
    if (!letter) return wrong(`Begin with a letter (${asked.options.join(", ")}); `
      + 'then your reason: `"b", "because ..."`.', "no letter yet");
    if (reason.trim().split(/\s+/).filter(Boolean).length < 3)
      return wrong(`You have chosen \`${letter}\`. Now say why, in a sentence of at least 3 words: `
        + "a prediction teaches only if it had a reason.", "no reason yet");
    const word = `${asked.id}|${letter}`;
    return open(asked.verdicts[tag(word)], word);
  }

  function judgeNumber(asked, given) {
    const names = asked.entries.length ? asked.entries : ["answer"];
    const said = names.filter((name) => given[name]?.trim()),
      missing = names.filter((name) => !said.includes(name));
    if (!said.length) return null;
    const read = names.map((name, i) => said.includes(name) ? numberAndUnit(given[name])
      : { number: asked.default[i], unit: "" });
    const wordy = names.filter((name, i) => read[i].number === null);
    if (wordy.length && asked.entries.length) return wrong(`No number stands at ${listed(wordy)}.`);
    if (wordy.length) return wrong(given.answer.includes(",")
      ? "A comma may part numbers, thousands or decimals: write a decimal point, "
        + "and no other comma."
      : "The question asks for a number: write it as in `0.42`, `3/8` or `42 %`.");
    if (asked.units.length && read.some(({ unit }) => !isUnit(unit, asked.units)))
      return wrong(`The question asks for ${asked.units[0]}.`, "wrong unit");
    const share = asked.entries.length ? null : shareIn(read[0].number, read[0].unit);
    if (share !== null && fits(asked, 0, 0, share)) read[0].number = share;
    return judgeValues(asked, read.map(({ number }) => number), missing);
  }

  // The value of target k in place i, if the number is in one of its cells;
  // whether it is near enough.
  function valueOf(asked, k, i, number) {
    const word = `${asked.id}|${k}|${i}|${cell(number, 4 * Math.max(asked.tolerance, 1e-6))}`,
      sealed = asked.cells[tag(word)];
    return sealed === undefined ? null : unpad(word, sealed);
  }

  function fits(asked, k, i, number) {
    const value = Number.isFinite(number) ? valueOf(asked, k, i, number) : null;
    return value !== null && Math.abs(number - value) <= asked.tolerance * Math.max(1,
      Math.abs(value));
  }

  function judgeValues(asked, numbers, missing) {
    const told = (k) => open(asked.verdicts[k],
      [asked.id, k, ...asked.relevant[k].map((i) => hexOf(valueOf(asked, k, i, numbers[i])))]
      .join("|"));
    const hit = asked.relevant.map((_, k) => k).filter((k) =>
      asked.relevant[k].every((i) => fits(asked, k, i, numbers[i])));
    if (hit[0] === 0) return told(0);
    if (!hit.length && numbers.every((x, i) => Math.abs(x) <= 100 && fits(asked, 0, i, x / 100)))
      return wrong(...IN_PER_CENT);
    const whole = hit.filter((k) => asked.relevant[k].length === numbers.length).slice(0, 1);
    const named = whole.length ? whole : hit, explained = named.flatMap((k) => asked.relevant[k]);
    const off = numbers.map((_, i) => i).filter((i) => !explained.includes(i)
      && !fits(asked, 0, i, numbers[i]));
    const found = named.map(told), words = found.map(({ message }) => message);
    if (off.length) words.push(notRight(asked, off.map((i) => asked.entries[i]), missing));
    return wrong([...new Set(words)].join(" "), found[0]?.mistake);
  }

  function notRight(asked, off, missing) {
    if (!asked.entries.length) return "That is not the value.";
    if (asked.default.some(Boolean)) return "Not all of the values are right, or one is missing.";
    const lost = missing.filter((name) => off.includes(name));
    if (lost.length)
      return `No entry yet for ${listed(lost)}. The entries are ${listed(asked.entries)}.`;
    if (off.length === asked.entries.length)
      return `None of the ${off.length} values is right yet.`;
    return `Not right yet: ${listed(off)}.`;
  }

  // given: { letter, reason }, or { answer: text } for one number, or { entry:
  // text } -> { status, mistake, message }
  function judge(asked, given) {
    const found = asked.asks === "choice" ? judgeChoice(asked, given) : judgeNumber(asked, given);
    return found ?? { status: "not started", mistake: "", message: "Nothing is filled in yet." };
  }

  return Object.assign(judge, { sha256: (text) => hex(sha256(text)), tag, cell, hexOf, unpad,
    unseal, numberAndUnit, unitWords, isUnit, shareIn });
})();
