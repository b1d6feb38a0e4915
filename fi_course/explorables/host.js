// Shows the saved widgets of a built page: no kernel, no require.js, no network.
// Reads the widget state that the notebook left in the page, imports each anywidget's script
// from a blob and lets it draw into the place of each view. One model may have several views;
// what cannot be drawn says so in the page.
(() => {
  const STATE = 'script[type="application/vnd.jupyter.widget-state+json"]';
  const VIEW = 'script[type="application/vnd.jupyter.widget-view+json"]';
  const scripts = new Map(); // source of a script -> its module, imported once

  function makeModel(state) {
    const listeners = new Map();
    const emit = (event, ...words) =>
      [...(listeners.get(event) || [])].forEach((call) => call(...words));
    return {
      get: (key) => state[key],
      set(key, value) {
        if (state[key] === value) return;
        state[key] = value;
        emit(`change:${key}`, null, value);
        emit("change");
      },
      save_changes() {}, // nobody to tell
      on: (event, call) => listeners.set(event, new Set(listeners.get(event)).add(call)),
      off: (event, call) => listeners.get(event)?.delete(call),
    };
  }

  function load(source) {
    if (!scripts.has(source)) {
      scripts.set(source, import(
        URL.createObjectURL(new Blob([source], { type: "text/javascript" }))));
    }
    return scripts.get(source);
  }

  async function draw(model, el) {
    if (!model) throw new Error("its state was not saved with the page");
    if (!model.get("_esm"))
      throw new Error(`it is a ${model.get("_model_name")}, `
        + "and this page can show anywidgets only");
    const style = document.createElement("style");
    style.textContent = model.get("_css") || "";
    el.append(style);
    const module = await load(model.get("_esm"));
    const widget = module.default || module;
    await (typeof widget === "function" ? await widget() : widget).render({ model, el });
  }

  function complain(el, reason) {
    const note = document.createElement("p");
    note.className = "explorable-error";
    note.setAttribute("role", "alert");
    note.textContent = `This interactive picture could not be drawn: ${reason.message || reason}.`;
    el.append(note);
    console.error(reason);
  }

  function start() {
    const models = new Map();
    for (const script of document.querySelectorAll(STATE)) {
      for (const [id, saved] of Object.entries(JSON.parse(script.textContent).state))
        models.set(id, makeModel(saved.state));
    }
    for (const script of document.querySelectorAll(VIEW)) {
      const el = script.parentNode.insertBefore(document.createElement("div"), script);
      el.className = "widget-host";
      show(models.get(JSON.parse(script.textContent).model_id), el);
    }
  }

  const show = (model, el) => draw(model, el).catch((reason) => complain(el, reason));
  globalThis.showWidget = (state, el) => show(makeModel(state), el); // Python in the page calls it

  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", start)
    : start();
})();
