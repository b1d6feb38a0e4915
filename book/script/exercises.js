// The fields of an exercise page: what is typed is judged at once by the specification beside it
// (judge.js), hints come one at a time, and the last answer is remembered with its verdict.

(() => {
  const { element, button, marked, read, change, today } = fi;
  // by id: { asked, place, given() what its fields hold, refill() them from what is kept }
  fi.exercises = {};

  function start(place) {
    const asked = JSON.parse(place.querySelector("script").textContent);
    const make = { choice: makeChoice, number: judged, prose: makeProse }[asked.asks] ?? makeCode;
    fi.exercises[asked.id] = { asked, place, ...make(place, asked) };
    if (asked.hints.length) place.append(hints(asked));
  }

  function judged(place, asked) {
    const form = place.querySelector("form"), verdict = place.querySelector(".fi-verdict");
    place.querySelector(".fi-how").remove();
    form.hidden = false;
    const given = () => Object.fromEntries(new FormData(form));
    function refill() {
      const kept = read().answers[asked.id]?.given, code = read().code[asked.id];
      form.reset();
      verdict.hidden = true;
      place.querySelector(".fi-kept")?.remove();
      if (code) form.before(keptCode(code));
      if (!kept) return;
      for (const [name, value] of Object.entries(kept))
        if (form.elements.namedItem(name)) form.elements.namedItem(name).value = value;
      tell(verdict, asked, fi.judge(asked, kept));
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const found = fi.judge(asked, given());
      if (found.status !== "not started") {
        change(({ code }) => { delete code[asked.id]; });
        keep(asked.id, found.status, given());
        place.querySelector(".fi-kept")?.remove();
      }
      tell(verdict, asked, found);
    });
    refill();
    return { given, refill };
  }

  // An answer that came out of a notebook and is more than a number or a letter.
  const keptCode = (code) => element("div", { class: "fi-kept" },
    element("p", { class: "fi-how" },
      "Your notebook answers in code, and so will the download, until you answer here:"),
      element("pre", {}, code));

  function keep(id, status, given) {
    change(({ answers }) => { answers[id] = { given, status, day: today() }; });
  }

  function tell(verdict, asked, { status, mistake, message, title }) {
    const words = { right: "Right.", wrong: mistake ? `Not yet: ${mistake}.` : "Not yet.",
      "not started": "Not started." };
    const worth = status === "right" ? ` (${asked.points} point${asked.points > 1 ? "s" : ""})`
      : "";
    verdict.hidden = false;
    verdict.className = `fi-verdict fi-${status.replace(" ", "-")}`;
    verdict.replaceChildren(element("strong", {}, title ?? words[status]), " ", ...marked(message),
      worth);
  }

  // The options stand in the text as a list that begins with letters in bold:
  // radios go before them.
  function makeChoice(place, asked) {
    const lists = [...place.closest("section").querySelectorAll("ul")];
    const letterOf = (item) => item.querySelector("strong")?.textContent.trim();
    const list = lists.find((ul) => asked.options.includes(letterOf(ul.querySelector("li"))));
    const radios = [...list.children].map((item) => {
      const words = item.querySelector(":scope > p") ?? item;
      return element("label", {},
        element("input", { type: "radio", name: "letter", value: letterOf(item) }),
        element("span", {}, ...words.childNodes));
    });
    list.remove();
    place.querySelector("fieldset").append(...radios);
    return judged(place, asked);
  }

  // Prose is judged by nobody: after a sentence of one's own one may compare.
  function makeProse(place, asked) {
    const model = place.querySelector(".fi-model");
    const text = element("textarea", { rows: 6, "aria-label": "Your answer" });
    const note = element("p", { class: "fi-how" });
    const enough = () => text.value.trim().split(/\s+/).length >= 8;
    const see = () => {
      if (model) model.hidden = !enough();
      note.textContent = enough() || !model ? ""
        : "After a sentence of your own you may compare it with a model answer.";
    };
    text.addEventListener("input",
      () => { change(({ words }) => { words[asked.id] = text.value; }); see(); });
    const refill = () => { text.value = read().words[asked.id] ?? ""; see(); };
    place.querySelector(".fi-how").replaceWith(text, note);
    refill();
    return { given: () => text.value, refill };
  }

  // The cell above shows what was written when Python last ran here, or came out of a notebook.
  function makeCode(place, asked) {
    const cell = place.previousElementSibling, shown = cell?.querySelector("pre"),
      stub = shown?.innerHTML;
    const refill = () => {
      const code = read().code[asked.id];
      if (shown && code) shown.textContent = code;
      else if (shown) shown.innerHTML = stub;
    };
    refill();
    return { cell, refill };
  }

  function hints({ hints: all }) {
    const list = element("ol", { "aria-live": "polite" });
    const more = button(`A hint (${all.length} there are)`, () => {
      list.append(element("li", {}, ...marked(all[list.children.length])));
      const left = all.length - list.children.length;
      more.textContent = left ? `Another hint (${left} left)` : "No more hints";
      more.disabled = !left;
    });
    return element("div", { class: "fi-hints" }, list, more);
  }

  function drawPoints() {
    const { answers } = read(), fields = ["choice", "number"], code = ["function", "test"];
    const all = Object.values(fi.exercises).map(({ asked }) => asked)
      .filter(({ id, asks }) => fields.includes(asks)
        || (code.includes(asks) && (fi.codeCounts || answers[id])));
    const sum = (some) => some.reduce((total, { points }) => total + points, 0);
    const line = document.querySelector(".fi-points");
    if (line) line.textContent =
      `Points on this page so far: ${sum(all.filter(({ id }) => answers[id]?.status === "right"))} of ${sum(all)}.`;
  }

  Object.assign(fi, { keepAnswer: keep, tellVerdict: tell });
  document.querySelectorAll(".fi-exercise").forEach(start);
  drawPoints();
  document.addEventListener("fi:changed", drawPoints);
})();
