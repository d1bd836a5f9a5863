// A chart as SVG that follows the selection and the width of its place.
//
// chart(describe): describe() returns null (nothing to show) or
//   { title, x, y, series, rules, note, ratio, empty }   x, y: { label, log, domain }
//   series: { key, label, colour, points: [{ x, y, tip, xLow, xHigh, yLow, yHigh }], line, marks, shape, dash,
//             band: [{ x, low, high }], quiet }           key: what the legend hides; quiet: not in the legend
//   rules: [{ y | x, label }]
function chart(describe) {
  const title = el("figcaption"), legend = el("div", { class: "legend" }), place = el("div", { class: "plot" });
  const note = el("p", { class: "remark" });
  const figure = el("figure", { class: "chart" }, title, legend, place, note);
  let legendKeys = "", widthDrawn = 0;
  const draw = () => {
    const spec = describe();
    figure.hidden = !spec;
    if (!spec) return;
    title.textContent = spec.title || "";
    title.hidden = !spec.title;
    const keys = legendEntries(spec.series);
    const joined = JSON.stringify(keys);
    if (joined !== legendKeys) {
      legend.replaceChildren(...(keys.length > (names.method.length > 1 ? 0 : 1) ? keys.map(legendButton) : []));
      legendKeys = joined;
    }
    for (const button of legend.children) button.setAttribute("aria-pressed", !state.hidden.has(button.dataset.key));
    note.textContent = spec.note || "";
    note.hidden = !spec.note;
    const width = widthDrawn = place.clientWidth;
    if (width > 0) place.replaceChildren(drawn(spec, width), tooltipFor(place));
  };
  watch(draw);
  new ResizeObserver(() => place.clientWidth !== widthDrawn && draw()).observe(place);
  figure.redraw = draw;
  return figure;
}

function legendEntries(series) {
  const seen = new Map();
  for (const one of series) if (!one.quiet && !seen.has(one.key)) seen.set(one.key, [one.key, one.label || one.key, one.colour]);
  return [...seen.values()];
}

const legendButton = ([key, label, colour]) =>
  el("button", { type: "button", "data-key": key, onclick: () => toggle(key), title: `show or hide ${label}` },
    el("span", { class: "swatch", style: `background:${colour}`, "aria-hidden": "true" }), label);

function drawn(spec, width) {
  const series = spec.series.filter((one) => !state.hidden.has(one.key));
  const height = Math.round(Math.min(380, Math.max(230, width * (spec.ratio || 0.62))));
  const values = (axis) => series.flatMap((one) => one.points.flatMap((p) => [p[axis], p[`${axis}Low`], p[`${axis}High`]]))
    .concat((spec.rules || []).map((rule) => rule[axis]));
  const axis = { x: { ...spec.x }, y: { ...spec.y } };
  for (const key of ["x", "y"]) {
    const all = values(key).filter(isNumber);
    axis[key].log = Boolean(axis[key].log) && all.some((v) => v > 0);
    axis[key].domain = spec[key].domain || domainOf(all, axis[key].log);
  }
  const top = 26, bottom = 44, right = 14;
  const y = makeScale(axis.y.domain, [height - bottom, top], axis.y.log, Math.round(height / 55));
  const left = 14 + 7 * Math.max(2, ...y.ticks.map((tick) => show(tick).length));
  const x = makeScale(axis.x.domain, [left, width - right], axis.x.log, Math.max(2, Math.round(width / 90)));
  const frame = { left, right: width - right, top, bottom: height - bottom };
  const hits = [];
  const clip = `clip-${++drawn.count}`;
  const body = svg("g", { "clip-path": `url(#${clip})` }, series.map((one) => drawnSeries(one, x, y, frame, hits)));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": spokenChart(spec, series) },
    svg("defs", {}, svg("clipPath", { id: clip }, svg("rect", { x: left - 7, y: top - 7, width: frame.right - left + 14, height: frame.bottom - top + 14 }))),
    drawnAxes(x, y, axis, frame), (spec.rules || []).map((rule) => drawnRule(rule, x, y, frame)), body,
    svg("circle", { class: "halo", r: 7, visibility: "hidden" }));
  picture.hits = hits;
  return picture;
}
drawn.count = 0;

function drawnAxes(x, y, axis, frame) {
  const parts = [];
  for (const tick of y.ticks) {
    parts.push(svg("path", { class: "grid", d: `M${frame.left},${y(tick).toFixed(1)}H${frame.right}` }),
      svg("text", { class: "tick", x: frame.left - 7, y: y(tick) + 4, "text-anchor": "end" }, show(tick)));
  }
  for (const tick of x.ticks) {
    parts.push(svg("path", { class: "grid", d: `M${x(tick).toFixed(1)},${frame.top}V${frame.bottom}` }),
      svg("text", { class: "tick", x: Math.min(x(tick), frame.right - 4), y: frame.bottom + 17, "text-anchor": "middle" }, show(tick)));
  }
  parts.push(svg("path", { class: "axis", d: `M${frame.left},${frame.top}V${frame.bottom}H${frame.right}` }),
    svg("text", { class: "name", x: 2, y: 13 }, `↑ ${axis.y.label}${axis.y.log ? " (log)" : ""}`),
    svg("text", { class: "name", x: frame.right, y: frame.bottom + 36, "text-anchor": "end" }, `${axis.x.label}${axis.x.log ? " (log)" : ""} →`));
  return parts;
}

function drawnRule(rule, x, y, frame) {
  const level = y(rule.y);
  if (level < frame.top || level > frame.bottom) return [];
  return [svg("path", { class: "rule", d: `M${frame.left},${level}H${frame.right}` }),
    svg("text", { class: "rule-name", x: frame.right - 4, y: level - 5, "text-anchor": "end" }, rule.label)];
}

function drawnSeries(one, x, y, frame, hits) {
  const parts = [];
  if (one.band) parts.push(svg("path", { class: "band", d: bandPath(one.band, x, y), style: `fill:${one.colour}` }));
  if (one.line !== false) {
    parts.push(svg("path", { class: one.key === "truth" ? "line truth" : "line", d: linePath(one.points, x, y), style: `stroke:${one.colour};stroke-width:${one.width || 1.8}`, "stroke-dasharray": one.dash }));
  }
  for (const point of one.points) {
    if (!isNumber(point.x) || !isNumber(point.y)) continue;
    const px = x(point.x), py = y(point.y);
    parts.push(...errorBars(point, x, y, one.colour));
    if (one.marks) parts.push(mark(one.shape, px, py, one.size || 4.5, one.colour, point.hollow));
    if (point.tip) hits.push({ x: px, y: py, tip: point.tip });
  }
  return parts;
}

function spokenChart(spec, series) {
  const what = series.map((one) => one.label || one.key);
  return `${spec.title || "Chart"}: ${spec.y.label} against ${spec.x.label}, for ${unique(what).join(", ") || "nothing selected"}`;
}

/// The nearest point says what it is.
function tooltipFor(place) {
  const tip = el("div", { class: "tip", role: "status", hidden: true });
  const find = (event) => {
    const picture = place.querySelector("svg"), box = picture.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    let best = null, least = 32 ** 2;
    for (const hit of picture.hits) {
      const distance = (hit.x - at.x) ** 2 + (hit.y - at.y) ** 2;
      if (distance < least) { least = distance; best = hit; }
    }
    const halo = picture.querySelector(".halo");
    halo.setAttribute("visibility", best ? "visible" : "hidden");
    tip.hidden = !best;
    if (!best) return;
    halo.setAttribute("cx", best.x);
    halo.setAttribute("cy", best.y);
    tip.textContent = best.tip;
    tip.style.left = `${Math.max(0, Math.min(best.x + 12, box.width - tip.offsetWidth - 2))}px`;
    tip.style.top = `${best.y > tip.offsetHeight + 16 ? best.y - tip.offsetHeight - 12 : best.y + 14}px`;
  };
  place.onpointermove = find;
  place.onpointerdown = find;
  place.onpointerleave = () => {
    tip.hidden = true;
    place.querySelector(".halo")?.setAttribute("visibility", "hidden");
  };
  return tip;
}
