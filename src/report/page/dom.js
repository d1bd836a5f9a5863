// Elements made by hand. Text is always set as text, so nothing in the data can become markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/// A part of the page with a heading and a sentence on how to read it.
function section(id, title, aid, ...children) {
  return el(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title),
    aid ? el("p", { class: "aid" }, aid) : null,
    children,
  );
}

/// Hides a part of the page while there is nothing in it for the selection.
function showWhen(there, node) {
  watch(() => (node.hidden = !there()));
  return node;
}

const remark = (text) => el("p", { class: "remark" }, text);
