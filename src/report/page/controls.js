// What the reader sets: selections that the whole page follows, selections of one part, light or dark.
function choice(label, values, current, act, words = (value) => value) {
  const select = el("select", { "aria-label": label, onchange: () => act(values[select.selectedIndex]) },
    values.map((value) => el("option", { selected: value === current }, words(value))));
  return el("label", { class: "choice" }, el("span", {}, label), select);
}

/// A selection that the whole page follows; nothing to choose: nothing to show.
function pageChoice(label, key, values, words) {
  if (values.length < 2) return null;
  const node = choice(label, values, state[key], (value) => change({ [key]: value }), words);
  watch(() => { node.lastChild.selectedIndex = values.indexOf(state[key]); });
  return node;
}

const protocolsThere = () => Object.keys(protocols).filter((protocol) => protocol !== "one_step" &&
  report.cells.some((cell) => Object.values(cell.evaluations).some((evaluation) => evaluation[protocol])));

/// Selections of the part of the page that looks at one data set at a time.
function closerBar() {
  return el("div", { class: "bar", role: "group", "aria-label": "What the plots below show" },
    pageChoice("data", "data", names.data), pageChoice("option", "option", names.option),
    pageChoice("evaluation", "evaluation", names.evaluation),
    pageChoice("protocol", "protocol", protocolsThere(), (protocol) => protocols[protocol]));
}

function themeButton() {
  const words = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }, order = Object.keys(words);
  const button = el("button", { type: "button", class: "theme", title: "light, dark, or as the system says" });
  const use = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = words[theme];
    button.setAttribute("aria-label", `colours: ${theme}`);
    try { localStorage.setItem("cvf-theme", theme); } catch { /* a file may have no storage */ }
  };
  button.onclick = () => use(order[(order.indexOf(document.documentElement.dataset.theme) + 1) % order.length]);
  let kept = null;
  try { kept = localStorage.getItem("cvf-theme"); } catch { /* as above */ }
  use(order.includes(kept) ? kept : "auto");
  return button;
}

/// A selection of one part, whose values may change with the page's: use(values) returns the chosen one.
function localChoice(label, act, words = (value) => value, preferred = 0) {
  let values = [], current = preferred;
  const select = el("select", { "aria-label": label, onchange: () => { current = select.selectedIndex; act(); } });
  const node = el("label", { class: "choice" }, el("span", {}, label), select);
  return {
    node,
    use(offered) {
      if (JSON.stringify(offered) !== JSON.stringify(values)) {
        const kept = offered.indexOf(values[current]);
        current = kept >= 0 ? kept : Math.min(preferred, Math.max(0, offered.length - 1));
        values = offered;
        select.replaceChildren(...values.map((value) => el("option", {}, words(value))));
        select.selectedIndex = current;
      }
      node.hidden = values.length < 2;
      return values[current];
    },
  };
}
