// One answer at a time: rubric on keys, a comment, and a table to save. Answers are set as text and never as markup.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const place = (item) => `${item.question} ${item.student} ${item.digest}`;
const key = `marks of ${data.assistant} ${location.pathname}`;
let current = 0;

const given = data.items.filter((item) => item.points !== null);
const marks = Object.fromEntries(given.map(({ticks, points, comment, ...item}) => [place(item), {ticks, points, comment}]));
try {
  Object.assign(marks, JSON.parse(localStorage.getItem(key) || "{}"));
} catch (error) { /* a browser that keeps nothing: save more often */ }

const mark = (item) => marks[place(item)];

function change(edit) {
  const item = data.items[current];
  const now = mark(item) || {ticks: [], points: 0, comment: ""};
  marks[place(item)] = edit(now);
  try { localStorage.setItem(key, JSON.stringify(marks)); } catch (error) { /* as above */ }
  at("saved").textContent = " There are marks that are not saved yet.";
  show();
}

function tick(number) {
  const rubric = data.questions[data.items[current].question].rubric;
  if (number > rubric.length) return;
  change((now) => {
    const others = now.ticks.filter((one) => one !== number);
    const ticks = number === 0 ? [] : now.ticks.includes(number) ? others : [...others, number].sort();
    return {...now, ticks, points: ticks.reduce((sum, one) => sum + rubric[one - 1][0], 0)};
  });
}

function comments(question) {
  const used = data.items.filter((item) => item.question === question && mark(item) && mark(item).comment);
  return [...new Set(used.map((item) => mark(item).comment))].slice(0, 9);
}

function made(tag, properties, ...inside) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...inside);
  return element;
}

function show() {
  const item = data.items[current], asked = data.questions[item.question];
  const now = mark(item), ticks = now ? now.ticks : [];
  const done = data.items.filter(mark).length;
  at("progress").textContent = `Answer ${current + 1} of ${data.items.length}; ${done} marked.`;
  at("question").textContent = `${item.question}: ${asked.title}`;
  at("answer").textContent = item.answer;
  at("rubric").replaceChildren(...asked.rubric.map(([points, what], k) => made("label", {},
    made("input", {type: "checkbox", checked: ticks.includes(k + 1), onchange: () => tick(k + 1)}),
    ` ${k + 1}: ${what} (${points})`)));
  at("points").textContent = now ? `${now.points} of ${asked.points} points` : "not marked yet";
  at("points").className = now ? "done" : "";
  if (document.activeElement !== at("comment")) at("comment").value = now ? now.comment : "";
  at("used").replaceChildren(...comments(item.question).map((text, k) =>
    made("button", {onclick: () => use(text)}, `Alt+${k + 1}: ${text}`)));
}

function use(text) {
  at("comment").value = text;
  change((now) => ({...now, comment: text}));
}

function go(to) {
  at("comment").blur();
  current = (to + data.items.length) % data.items.length;
  show();
}

function nextUnmarked() {
  const order = data.items.map((_, k) => (current + 1 + k) % data.items.length);
  go(order.find((k) => !mark(data.items[k])) ?? current);
}

function field(text) {
  const safe = /^[=+\-@\u2212\uff1d\uff0b\uff0d\uff20\t\r]/.test(text) ? `'${text}` : text;
  return `"${String(safe).replaceAll('"', '""').replaceAll(/[\r\n]+/g, " ")}"`;
}

function table() {
  const most = Math.max(...Object.values(data.questions).map((one) => one.rubric.length));
  const ticks = [...Array(most).keys()].map((k) => k + 1);
  const rows = [["student", "question", ...ticks.map((k) => `rubric_${k}`), "points", "comment", "by", "answer"]];
  for (const item of data.items.filter(mark)) {
    const now = mark(item);
    rows.push([item.student, item.question, ...ticks.map((k) => (now.ticks.includes(k) ? "1" : "0")),
      String(now.points), now.comment, data.assistant, item.digest]);
  }
  return `\ufeff${rows.map((row) => row.map(field).join(",")).join("\r\n")}\r\n`;
}

function save() {
  const href = URL.createObjectURL(new Blob([table()], {type: "text/csv"}));
  made("a", {href, download: `marks-${data.assistant.replaceAll(/[^\p{L}\p{N}_-]/gu, "_")}.csv`}).click();
  at("saved").textContent = ` Saved ${data.items.filter(mark).length} marks.`;
}

function press(event) {
  if (event.altKey && /^[1-9]$/.test(event.key)) {
    const text = comments(data.items[current].question)[Number(event.key) - 1];
    if (text) use(text);
    event.preventDefault();
    return;
  }
  if (event.target === at("comment")) {
    if (event.key === "Escape") at("comment").blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "BUTTON" && event.key === "Enter") return;
  const keys = {Enter: () => go(current + 1), Backspace: () => go(current - 1), c: () => at("comment").focus(), u: nextUnmarked, s: save};
  const act = /^[0-9]$/.test(event.key) ? () => tick(Number(event.key)) : keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
}

document.addEventListener("keydown", press);
at("comment").addEventListener("input", () => change((now) => ({...now, comment: at("comment").value})));
at("next").addEventListener("click", () => go(current + 1));
at("back").addEventListener("click", () => go(current - 1));
at("save").addEventListener("click", save);
show();
