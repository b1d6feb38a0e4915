// Ten questions to find again: first those missed, and those whose rest is over.
// A question rests for one day after a miss, for two, four, eight ...
// days after as many right answers in a row.

(() => {
  const { element, button, read, today } = fi;
  const TEN = 10;
  const pool = document.querySelector(".fi-pool");
  const place = element("div", { class: "fi-draw" });
  pool.hidden = true;
  pool.before(place);

  const cards = [...pool.querySelectorAll(".fi-card")].map((card) =>
    ({ card, from: card.parentElement.querySelector(".fi-from") }));

  // How overdue a question is: days since it was answered, over the days that it may rest.
  function due({ card }) {
    const seen = read().guesses[card.id];
    return (today() - seen.day) / 2 ** (seen.row ?? 0);
  }

  function draw(some) {
    const said = element("p", { role: "status" });
    let right = 0, left = some.length;
    place.replaceChildren(...some.map(({ card, from }) => {
      const where = from.cloneNode(true);
      where.querySelector("a").hash = card.id;
      return element("div", {}, where, card);
    }), said);
    some.forEach(({ card }) => fi.askCard(card, (hit) => {
      right += hit;
      if (!--left) said.textContent =
        `${right} of ${some.length} right. Come back tomorrow: what was missed comes first.`;
    }));
  }

  const old = cards.filter(({ card }) => read().guesses[card.id]?.day >= 0);
  const first = [...old].sort((one, other) => due(other) - due(one)).slice(0, TEN);
  const any = () => draw([...cards].sort(() => Math.random() - 0.5).slice(0, TEN));
  if (first.length) draw(first);
  else place.append(element("p", {},
    "Your browser remembers no guess yet: make some in the chapters. ",
    button("Draw ten anyway", any)));
})();
