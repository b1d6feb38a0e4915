// How far a reader has come: a ring beside each chapter, the way back to where they stopped,
// and their answers as a file.

(() => {
  const { element, button, read, change, page, root } = fi;
  // written by the build: [{ page, title, cards: [id], questions: { id: points } }]
  const course = fi.course ?? [];

  // What of a page is done -> [how many, of how many].
  function progress({ cards, questions }, { guesses, answers }) {
    const asked = Object.keys(questions);
    const done = cards.filter((id) => guesses[id]?.said).length
      + asked.filter((id) => answers[id]?.status === "right").length;
    return [done, cards.length + asked.length];
  }

  function pageOf(link) {
    const path = new URL(link.href).pathname;
    return link.getAttribute("href") === "#" ? page
      : course.find((entry) => path.endsWith(`/${entry.page}.html`))?.page;
  }

  function drawRings(state) {
    for (const link of document.querySelectorAll(".bd-sidebar-primary nav li[class^=toctree] > a")) {
      const entry = course.find((other) => other.page === pageOf(link));
      const [done, all] = entry ? progress(entry, state) : [0, 0];
      link.querySelector(".fi-ring")?.remove();
      if (!done) continue;
      const words = `${done} of ${all} answered`;
      link.append(element("span",
        { class: "fi-ring", style: `--done: ${done / all}`, title: words },
        element("span", { class: "visually-hidden" }, `, ${words}`)));
    }
  }

  function note() {
    const headings = [...document.querySelectorAll(".bd-article section[id] > :is(h1, h2, h3)")];
    const last = headings.filter((heading) =>
      heading.getBoundingClientRect().top < innerHeight / 2).at(-1) ?? headings[0];
    if (!last) return;
    const own = [...last.childNodes].filter((node) => !node.classList?.contains("headerlink"));
    const heading = own.map((node) => node.textContent).join("");
    change((state) => { state.place = { page, heading, id: last.closest("section").id }; });
  }

  function offerToContinue({ place }) {
    const entry = course.find((other) => other.page === place?.page);
    document.querySelector(".fi-continue")?.remove();
    if (!entry || page !== "book/start") return;
    const words = place.heading === entry.title ? entry.title
      : `${entry.title}, at “${place.heading}”`;
    document.querySelector(".bd-article h1")?.after(element("p", { class: "fi-continue" },
      "Continue where you were: ",
      element("a", { href: `${root}${place.page}.html#${place.id}` }, words)));
  }

  const sum = element("p", {}), said = element("p", { role: "status", class: "fi-said" });
  const waits = element("input", { type: "checkbox" });
  waits.addEventListener("change",
    () => change(({ settings }) => { settings.all = !waits.checked; }));

  const save = () => fi.download("which-features-matter.json", JSON.stringify(read(), null, 1));

  const load = () => fi.choose(".json,application/json", (text) => {
    try {
      const entry = JSON.parse(text);
      if (!entry.guesses || !entry.answers) throw new Error("parts are missing");
      fi.replace(entry);
      said.textContent = "Loaded. Open a page anew to see its answers.";
    } catch {
      said.textContent = "This file holds no answers from this book.";
    }
  });

  function draw() {
    const state = read();
    drawRings(state);
    offerToContinue(state);
    const [done, all] = course.map((entry) => progress(entry, state)).reduce(([a, b], [c, d]) =>
      [a + c, b + d], [0, 0]);
    sum.textContent = `${done} of ${all} predictions and questions. `
      + "They are kept in this browser and go nowhere.";
    waits.checked = !state.settings.all;
  }

  document.querySelector(".fi-corner")?.append(element("details", {},
    element("summary", {}, "Your answers"), sum,
    element("label", {}, waits, " Let the text wait for my guesses"),
    element("p", {}, button("Save as a file", save), button("Load a file", load),
      button("Forget everything", fi.forget)), said));
  draw();
  document.addEventListener("fi:changed", draw);
  if (/^(notebooks|exercises)\//.test(page)) addEventListener("pagehide", note);
})();
