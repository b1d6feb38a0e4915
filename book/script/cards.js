// A card asks before it tells. In the page it is a question and a list of answers to open;
// here radios take the list's place until a guess is locked in.
// Then the verdict says in words what is right, and all explanations can be read.
// A chapter can show all its code, or only what is asked for.

(() => {
  const { element, button, read, change, today } = fi;

  function parts(card, answered = () => {}) {
    const options = [...card.querySelectorAll(":scope > details")];
    const texts = options.map((option) => option.querySelector("summary").textContent.trim());
    const after = document.getElementById(`after-${card.id}`);
    const here = { card, options, texts, after, answered,
      right: options.findIndex((option) => "right" in option.dataset) };
    here.line = after && waitingLine(here);
    return here;
  }

  function start(card) {
    const here = parts(card), { guesses, skipped, settings } = read();
    // -1 also if that answer is no longer offered
    const said = here.texts.indexOf(guesses[card.id]?.said);
    if (said >= 0) tell(here, said);
    else ask(here);
    if (said < 0 && here.after && !skipped[card.id] && !settings.all) wait(here);
  }

  function ask(here) {
    here.card.querySelector(".fi-told")?.remove();
    here.options.forEach((option) => { option.hidden = true;
      option.querySelector(".fi-mark")?.remove(); });
    const radios = here.texts.map((text, k) => element("label", {},
      element("input", { type: "radio", name: here.card.id, value: k, required: true }),
      element("span", {}, text)));
    const form = element("form", {},
      element("fieldset", {}, element("legend", {}, "Your guess"), ...radios),
      element("button", { class: "fi-button" }, "Lock in my guess"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      lock(here, Number(new FormData(form).get(here.card.id)));
    });
    here.options[0].before(form);
    return form;
  }

  function lock(here, k) {
    const right = k === here.right;
    change(({ guesses }) => {
      const row = right ? (guesses[here.card.id]?.row ?? 0) + 1 : 0; // right answers in a row
      guesses[here.card.id] = { said: here.texts[k], right, day: today(), row };
    });
    here.card.querySelector("form").remove();
    release(here);
    tell(here, k).focus();
    here.answered(right);
  }

  function tell(here, k) {
    const verdict = element("p",
      { class: `fi-verdict ${k === here.right ? "fi-right" : "fi-wrong"}`, tabindex: -1 },
      element("strong", {}, k === here.right ? "Right. " : "Not right. "),
      k === here.right ? `You said “${here.texts[k]}”.`
      : `You said “${here.texts[k]}”; right is “${here.texts[here.right]}”.`);
    const again = button("Ask me again", () => ask(here).querySelector("input").focus());
    here.options.forEach((option, j) => {
      option.hidden = false;
      option.open = true;
      const marks = [j === here.right && "right", j === k && "your guess"].filter(Boolean);
      if (marks.length) option.querySelector("summary")
        .append(element("span", { class: "fi-mark" }, ` (${marks.join(", ")})`));
    });
    here.options[0].before(element("div", { class: "fi-told" }, verdict));
    verdict.append(" ", again);
    return verdict;
  }

  function waitingLine(here) {
    const skip = () => { change(({ skipped }) => { skipped[here.card.id] = today(); });
      release(here); here.after.focus(); };
    const all = () => { change(({ settings }) => { settings.all = true; }); here.after.focus(); };
    return element("p", { class: "fi-waiting" }, "The rest of this section waits for your guess. ",
      button("Skip", skip), button("Show everything from now on", all));
  }

  function wait(here) {
    // a browser's own search opens it, and so does a link
    here.after.setAttribute("hidden", "until-found");
    here.after.tabIndex = -1;
    here.after.addEventListener("beforematch", () => release(here));
    here.card.after(here.line);
    document.addEventListener("fi:changed", () => read().settings.all && release(here));
  }

  function release(here) {
    here.line?.remove();
    here.after?.removeAttribute("hidden");
  }

  // A link, an anchor or a word found by the book's search may stand in parts that wait: they open.
  function reveal(target) {
    for (let part = target?.closest(".fi-gated[hidden]"); part; part =
      part.parentElement.closest(".fi-gated[hidden]")) {
      part.dispatchEvent(new Event("beforematch"));
    }
    return target;
  }

  function followAddress() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = document.getElementById(id);
    if (target?.closest(".fi-gated[hidden]")) reveal(target).scrollIntoView();
  }

  function followSearch() {
    document.querySelectorAll(".fi-gated[hidden] .highlighted").forEach((word) => reveal(word));
  }

  function offerCode(place, folded) {
    const box = element("input", { type: "checkbox" });
    const show = () => folded.forEach((code) => { code.open = box.checked; });
    box.checked = Boolean(read().settings.code);
    box.addEventListener("change",
      () => { change(({ settings }) => { settings.code = box.checked; }); show(); });
    place.append(element("label", { class: "fi-badge" }, box, " show all code"));
    show();
  }

  const badges = document.querySelector(".fi-badges"),
    code = document.querySelectorAll("details.fi-code");
  if (badges && code.length) offerCode(badges, code);
  document.querySelectorAll(":not(.fi-drawn) > .fi-card").forEach(start);
  followAddress();
  addEventListener("hashchange", followAddress);
  // Sphinx marks what was searched for a moment after loading
  addEventListener("load", () => setTimeout(followSearch, 100));
  fi.askCard = (card, answered) => ask(parts(card, answered)); // anew, whatever was said before
})();
