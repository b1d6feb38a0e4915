// Shows a cell's outputs, given in the notebook format, as the built pages show theirs.

const { element: make, marked } = fi; // of reader.js, which every page has

// ---- HTML from Python is somebody's program's: what could run is left out -----------------------
// What could fetch is stopped by the page's Content-Security-Policy (layout.html).

const ALLOWED = new Set(("a abbr b blockquote br button caption code col colgroup dd del details " +
  "div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd label li mark ol p " +
  "pre q s samp section small span strong style sub summary sup table tbody td tfoot th thead " +
  "tr u ul var svg g path rect circle ellipse line polyline polygon text tspan defs clippath use " +
  "title desc lineargradient radialgradient stop marker pattern mask metadata").split(" "));
const ADDRESSES = /^(href|src|xlink:href|action|formaction|srcset|poster|background)$/i;
const HARMLESS = /^(#|https?:|mailto:|data:image\/(png|jpeg|gif|svg\+xml|webp)[;,])/i;

// words -> a fragment in which nothing runs
function sanitised(words) {
  const { body } = new DOMParser().parseFromString(words, "text/html");
  for (const head of body.querySelectorAll("th")) // a screen reader would announce nothing
    if (!head.textContent.trim()) head.replaceWith(document.createElement("td"));
  for (const node of body.querySelectorAll("*")) {
    if (!ALLOWED.has(node.localName.toLowerCase())) node.remove();
    for (const { name, value } of [...node.attributes])
      if (/^on/i.test(name) || (ADDRESSES.test(name) && !HARMLESS.test(value.trim())))
        node.removeAttribute(name);
  }
  const whole = document.createDocumentFragment();
  whole.append(...document.importNode(body, true).childNodes);
  return whole;
}

const plain = (text) => text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "");
// A line that was written over, as progress bars do, keeps its last state.
const overwritten = (text) => text.replace(/[^\n]*\r(?=[^\n\r])/g, "");

function preformatted(text, kind) {
  const pre = make("pre", { tabindex: 0 });
  pre.textContent = plain(text);
  return make("div", { class: `output ${kind} highlight-none notranslate` },
    make("div", { class: "highlight" }, pre));
}

function picture(kind, data, about) {
  const source = kind === "image/svg+xml"
    ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(data)}`
    : `data:${kind};base64,${data.trim()}`;
  const image = make("img",
    { src: source, alt: about.alt || "A figure that the code did not describe" });
  if (about.width) image.width = about.width;
  return image;
}

const IMAGES = ["image/svg+xml", "image/png", "image/jpeg"];

function rich({ data, metadata }) {
  const image = IMAGES.find((kind) => kind in data);
  if ("application/x-fi-widget" in data) return widget(data["application/x-fi-widget"]);
  if ("text/html" in data)
    return make("div", { class: "output text_html" }, sanitised(data["text/html"]));
  if (image) return picture(image, data[image], metadata?.[image] ?? {});
  if ("text/markdown" in data)
    return make("div", { class: "output text_markdown" },
      make("p", {}, ...marked(data["text/markdown"])));
  return preformatted(data["text/plain"] ?? data["text/latex"] ?? "", "text_plain");
}

// An explorable: its script came with the course, so it may run. host.js draws it, as in the page.
function widget(state) {
  const place = make("div", { class: "widget-host" });
  const host = globalThis.showWidget ?? import(new URL("../host.js", import.meta.url));
  Promise.resolve(host).then(() => showWidget(state, place))
    .catch((error) => { place.textContent = error.message; });
  return place;
}

// The node that shows one output.
export function drawn(output) {
  if (output.output_type === "stream")
    return preformatted(overwritten(output.text), output.name === "stderr" ? "stderr" : "stream");
  if (output.output_type === "error") return preformatted(output.traceback.join("\n"), "traceback");
  return rich(output);
}

// A place for a cell's outputs, told to screen readers as they come.
// -> { element, add(output), clear() }; printed pieces are joined
export function makeOutputs(label) {
  const element = make("div",
    { class: "cell_output fi-live-output", role: "region", "aria-label": label,
      "aria-live": "polite" });
  let last;

  function add(output) {
    if (output.output_type === "stream" && last?.output_type === "stream"
      && last.name === output.name) {
      last.text += output.text;
      element.lastChild.replaceWith(drawn(last));
    } else {
      last = { ...output };
      element.append(drawn(last));
    }
  }

  function clear() {
    last = null;
    element.replaceChildren();
  }

  return { element, add, clear };
}
