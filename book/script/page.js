// Two things that a page can do besides being read:
// show all its code, and set its explorables from links in the text.

(() => {
  const { read, change } = fi;

  // ---- all code, or what is asked for -----------------------------------------------------------

  const folded = [...document.querySelectorAll("details.fi-code")];
  const place = document.querySelector(".fi-badges");
  if (folded.length && place) {
    const box = fi.element("input", { type: "checkbox" });
    box.checked = Boolean(read().settings.code);
    const show = () => folded.forEach((code) => { code.open = box.checked; });
    box.addEventListener("change",
      () => { change(({ settings }) => { settings.code = box.checked; }); show(); });
    place.append(fi.element("label", { class: "fi-badge" }, box, " show all code"));
    show();
  }

  // ---- "set it to 8" ----------------------------------------------------------------------------

  const plain = (words) => words.trim().toLowerCase();

  // The explorable nearest to the link that has all these controls.
  function nearest(link, wishes) {
    const at = link.getBoundingClientRect().top;
    const distance = (one) => Math.abs(one.getBoundingClientRect().top - at);
    return [...document.querySelectorAll(".explorable")].filter((one) =>
      wishes.every(([name]) => name in one.explorable.labels))
      .sort((one, other) => distance(one) - distance(other))[0];
  }

  function follow(event) {
    const link = event.target.closest?.("a.fi-set");
    if (!link) return;
    event.preventDefault();
    const wishes = link.hash.slice("#set:".length).split(",").map((wish) =>
      wish.split("=").map(decodeURIComponent));
    const explorable = nearest(link, wishes);
    if (!explorable) throw new Error(
      `no explorable on this page has ${wishes.map(([name]) => name).join(", ")}`);
    for (const [name, value] of wishes) {
      const labels = explorable.explorable.labels[name].map(plain), wanted = plain(value);
      const exact = labels.indexOf(wanted),
        at = exact >= 0 ? exact : labels.findIndex((label) => label.startsWith(`${wanted} `));
      if (at < 0) throw new Error(`${name} cannot be ${value}: it can be ${labels.join(", ")}`);
      explorable.explorable.set(name, at);
    }
    explorable.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("click", follow);
})();
