// The button that fetches Python for this page; nothing of it is loaded before it is pressed.
(() => {
  const place = document.querySelector(".fi-live[data-kind]");
  if (!place) return;
  const { kind, bytes, later } = place.dataset, megabytes = (size) => Math.round(size / 1e6),
    edits = Object.keys(fi.read().edits[fi.page] ?? {}).length;
  const note = fi.element("p", { class: "fi-how", role: "status" },
    `matplotlib and scikit-learn, ${megabytes(later)} MB more, come when a cell needs them.`
    + (edits ? ` Your edits come back; edited cells: ${edits}.` : ""));
  const ask = fi.button(`Run Python in this page (${megabytes(bytes)} MB, once)`,
    async () => {
    if (location.protocol === "file:") {
      note.textContent = "A page that was opened as a file may not load Python. In the book's " +
        "folder run python -m http.server and open http://localhost:8000/ instead.";
      return;
    }
    ask.hidden = true;
    try {
      await (await import(new URL(`${fi.root}_static/live/${kind}.js`, document.baseURI)))
        .begin(place, note);
    } catch (error) {
      note.textContent = error.message;
      ask.hidden = false;
    }
  }, "fi-button");
  place.append(ask, note);
})();
