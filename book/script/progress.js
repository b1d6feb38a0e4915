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

  // ---- rings in the sidebar ---------------------------------------------------------------------

  function pageOf(link) {
    const path = new URL(link.href).pathname;
    return link.getAttribute("href") === "#" ? page
      : course.find((entry) => path.endsWith(`/${entry.page}.html`))?.page;
  }

  function drawRings() {
    const state = read();
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

  // ---- where one was ----------------------------------------------------------------------------

  function note() {
    const headings = [...document.querySelectorAll(".bd-article section[id] > :is(h1, h2, h3)")];
    const last = headings.filter((heading) =>
      heading.getBoundingClientRect().top < innerHeight / 2).at(-1) ?? headings[0];
    if (!last) return;
    const own = [...last.childNodes].filter((node) => !node.classList?.contains("headerlink"));
    const heading = own.map((node) => node.textContent).join("");
    change((state) => { state.place = { page, heading, id: last.closest("section").id }; });
  }

  function offerToContinue() {
    const { place } = read(), entry = course.find((other) => other.page === place?.page);
    document.querySelector(".fi-continue")?.remove();
    if (!entry || page !== "book/start") return;
    const words = place.heading === entry.title ? entry.title
      : `${entry.title}, at “${place.heading}”`;
    document.querySelector(".bd-article h1")?.after(element("p", { class: "fi-continue" },
      "Continue where you were: ",
      element("a", { href: `${root}${place.page}.html#${place.id}` }, words)));
  }

  // ---- the reader's own corner ------------------------------------------------------------------

  function drawCorner() {
    const corner = document.querySelector(".fi-corner"), state = read();
    if (!corner) return;
    const [done, all] = course.map((entry) => progress(entry, state)).reduce(([a, b], [c, d]) =>
      [a + c, b + d], [0, 0]);
    const open = corner.querySelector("details")?.open;
    corner.replaceChildren(element("details", { open: Boolean(open) },
      element("summary", {}, "Your answers"),
      element("p", {}, `${done} of ${all} predictions and questions. They are kept in this browser and go nowhere.`),
      toggle("Let the text wait for my guesses", !state.settings.all,
        (on) => change(({ settings }) => { settings.all = !on; })),
      element("p", {}, button("Save as a file", save), button("Load a file", load),
        button("Forget everything", fi.forget)),
      element("p", { role: "status", class: "fi-said" })));
  }

  function toggle(words, checked, changed) {
    const input = element("input", { type: "checkbox", checked });
    input.addEventListener("change", () => changed(input.checked));
    return element("label", {}, input, ` ${words}`);
  }

  function say(words) {
    document.querySelector(".fi-said").textContent = words;
  }

  function save() {
    const file = new Blob([JSON.stringify(read(), null, 1)], { type: "application/json" });
    const link = element("a",
      { href: URL.createObjectURL(file), download: "which-features-matter.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function load() {
    const input = element("input", { type: "file", accept: ".json,application/json" });
    input.addEventListener("change", async () => {
      try {
        const entry = JSON.parse(await input.files[0].text());
        if (!entry.guesses || !entry.answers) throw new Error("parts are missing");
        fi.replace(entry);
        say("Loaded. Open a page anew to see its answers.");
      } catch {
        say("This file holds no answers from this book.");
      }
    });
    input.click();
  }

  function draw() {
    drawRings();
    offerToContinue();
    const busy = document.querySelector(".fi-corner")?.contains(document.activeElement);
    const place = busy && [...document.querySelectorAll(".fi-corner :is(summary, input, button)")]
      .indexOf(document.activeElement);
    drawCorner();
    if (busy) document.querySelectorAll(".fi-corner :is(summary, input, button)")[place].focus();
  }

  draw();
  document.addEventListener("fi:changed", draw);
  if (/^(notebooks|exercises)\//.test(page)) addEventListener("pagehide", note);
})();
