// A chart as SVG that follows the selection and the width of its place.
//
// chart(describe): describe() returns null (nothing to show) or
//   { title, x, y, series, rules, note, ratio, empty }   x, y: { label, log, domain }
//   series: { key, label, colour, points: [{ x, y, tip, xLow, xHigh, yLow, yHigh }], line, marks, shape, dash,
//             band: [{ x, low, high }], quiet }           key: what the legend hides; quiet: not in the legend
//   rules: [{ y, label, left }]                           left: its label stands on the left
//   seen: [x, ...]                                        places marked on the axis
function chart(describe) {
  const title = el("figcaption"),
    legend = el("div", { class: "legend" }),
    place = el("div", { class: "plot" });
  const note = el("p", { class: "remark" });
  const figure = el("figure", { class: "chart" }, title, legend, place, note);
  const save = downloads(figure, () => ({ spec: shown, picture: place.querySelector("svg") }));
  figure.append(save);
  let legendKeys = "",
    widthDrawn = 0,
    shown = null;
  const draw = () => {
    const spec = (shown = describe());
    figure.hidden = !spec;
    if (!spec) return;
    title.textContent = spec.title || "";
    title.hidden = !spec.title;
    const keys = legendEntries(spec.series);
    const joined = JSON.stringify(keys);
    if (joined !== legendKeys) {
      legend.replaceChildren(
        ...(keys.length > (names.method.length > 1 ? 0 : 1) ? keys.map(legendButton) : []),
      );
      legendKeys = joined;
    }
    for (const button of legend.children)
      button.setAttribute("aria-pressed", !state.hidden.has(button.dataset.key));
    note.textContent = spec.note || "";
    note.hidden = !spec.note;
    save.hidden = place.hidden = !spec.series.length;
    const width = (widthDrawn = place.clientWidth);
    if (width > 0) place.replaceChildren(drawn(spec, width), tooltipFor(place));
  };
  watch(draw);
  new ResizeObserver(() => place.clientWidth !== widthDrawn && draw()).observe(place);
  figure.redraw = draw;
  return figure;
}

function legendEntries(series) {
  const seen = new Map();
  for (const one of series)
    if (!one.quiet && !seen.has(one.key)) seen.set(one.key, [one.key, one.label || one.key, one.colour]);
  return [...seen.values()];
}

const legendButton = ([key, label, colour]) =>
  el(
    "button",
    { type: "button", "data-key": key, onclick: () => toggle(key), title: `show or hide ${label}` },
    el("span", { class: "swatch", style: `background:${colour}`, "aria-hidden": "true" }),
    label,
  );
