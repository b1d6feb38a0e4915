// A page can show all its code, or only what is asked for.

(() => {
  const { read, change } = fi;

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
})();
