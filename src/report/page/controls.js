// What the reader sets: selections that the whole page follows, selections of one part, light or dark.
/// A selection that the whole page follows; `values` may be a function. Nothing to choose: nothing to show.
function pageChoice(label, key, values, words) {
  const offered = typeof values === "function" ? values : () => values;
  const local = localChoice(label, () => change({ [key]: local.use(offered()) }), words);
  watch(() => local.set(offered(), state[key]));
  return local.node;
}

const protocolChoice = () =>
  pageChoice(
    "protocol",
    "protocol",
    () => protocolsOf(state.evaluation),
    (protocol) => protocols[protocol],
  );
const evaluationChoice = () => pageChoice("evaluation", "evaluation", names.evaluation);

/// Selections of the part of the page that looks at one data set at a time.
function closerBar() {
  return el(
    "div",
    { class: "bar", role: "group", "aria-label": "What the plots below show" },
    pageChoice("data", "data", names.data),
    pageChoice("option", "option", names.option),
    evaluationChoice(),
    protocolChoice(),
    pageChoice("sample", "sample", samplesHere, (sample) => String(sample)),
  );
}

function themeButton() {
  const words = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" },
    order = Object.keys(words);
  const button = el("button", {
    type: "button",
    class: "theme",
    title: "light, dark, or as the system says",
  });
  const use = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = words[theme];
    button.setAttribute("aria-label", `colours: ${theme}`);
    try {
      localStorage.setItem("cvf-theme", theme);
    } catch {
      /* a file may have no storage */
    }
  };
  button.onclick = () =>
    use(order[(order.indexOf(document.documentElement.dataset.theme) + 1) % order.length]);
  let kept = null;
  try {
    kept = localStorage.getItem("cvf-theme");
  } catch {
    /* as above */
  }
  use(order.includes(kept) ? kept : "auto");
  return button;
}

/// A selection of one part, whose values may change with the page's: use(values) returns the chosen one.
function localChoice(label, act, words = (value) => value, preferred = 0) {
  let values = [],
    current = preferred;
  const select = el("select", {
    "aria-label": label,
    onchange: () => {
      current = select.selectedIndex;
      act();
    },
  });
  const node = el("label", { class: "choice" }, el("span", {}, label), select);
  const offer = (offered) => {
    if (JSON.stringify(offered) === JSON.stringify(values)) return;
    const kept = offered.indexOf(values[current]);
    current = kept >= 0 ? kept : Math.min(preferred, Math.max(0, offered.length - 1));
    values = offered;
    select.replaceChildren(...values.map((value) => el("option", {}, words(value))));
    select.selectedIndex = current;
  };
  return {
    node,
    use(offered) {
      offer(offered);
      node.hidden = values.length < 2;
      return values[current];
    },
    set(offered, value) {
      offer(offered);
      node.hidden = values.length < 2;
      select.selectedIndex = current = Math.max(0, values.indexOf(value));
    },
  };
}
