// A chart's description as SVG of a given width.
function drawn(spec, width) {
  const series = spec.series.filter((one) => !state.hidden.has(one.key));
  const height = Math.round(Math.min(380, Math.max(230, width * (spec.ratio || 0.62))));
  const values = (axis) =>
    series
      .flatMap((one) => one.points.flatMap((p) => [p[axis], p[`${axis}Low`], p[`${axis}High`]]))
      .concat((spec.rules || []).map((rule) => rule[axis]));
  const axis = { x: { ...spec.x }, y: { ...spec.y } };
  for (const key of ["x", "y"]) {
    const all = values(key).filter(isNumber);
    axis[key].log = Boolean(axis[key].log) && all.some((v) => v > 0);
    axis[key].domain = spec[key].domain || domainOf(all, axis[key].log);
  }
  const top = 26,
    bottom = 44,
    right = 14;
  const y = makeScale(axis.y.domain, [height - bottom, top], axis.y.log, Math.round(height / 55));
  const left = 14 + 7 * Math.max(2, ...y.ticks.map((tick) => show(tick).length));
  const frame = { left, right: width - right, top, bottom: height - bottom };
  const across = Math.max(2, Math.floor((frame.right - left) / 90));
  const x = makeScale(axis.x.domain, [left, frame.right], axis.x.log, across);
  const hits = [];
  const clip = `clip-${++drawn.count}`;
  const body = svg(
    "g",
    { "clip-path": `url(#${clip})` },
    series.map((one) => drawnSeries(one, x, y, frame, hits)),
  );
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": spokenChart(spec, series),
    },
    svg(
      "defs",
      {},
      svg(
        "clipPath",
        { id: clip },
        svg("rect", {
          x: left - 7,
          y: top - 7,
          width: frame.right - left + 14,
          height: frame.bottom - top + 14,
        }),
      ),
    ),
    drawnAxes(x, y, axis, frame),
    (spec.seen || []).map((place) => drawnSeen(x(place), frame)),
    (spec.rules || []).map((rule) => drawnRule(rule, x, y, frame)),
    body,
    svg("circle", { class: "halo", r: 7, visibility: "hidden" }),
  );
  picture.hits = hits;
  return picture;
}
drawn.count = 0;

function drawnAxes(x, y, axis, frame) {
  const parts = [];
  for (const tick of y.ticks) {
    parts.push(
      svg("path", { class: "grid", d: `M${frame.left},${y(tick).toFixed(1)}H${frame.right}` }),
      svg("text", { class: "tick", x: frame.left - 7, y: y(tick) + 4, "text-anchor": "end" }, show(tick)),
    );
  }
  for (const tick of x.ticks) {
    parts.push(
      svg("path", { class: "grid", d: `M${x(tick).toFixed(1)},${frame.top}V${frame.bottom}` }),
      svg(
        "text",
        {
          class: "tick",
          x: Math.min(x(tick), frame.right - 4),
          y: frame.bottom + 17,
          "text-anchor": "middle",
        },
        show(tick),
      ),
    );
  }
  parts.push(
    svg("path", { class: "axis", d: `M${frame.left},${frame.top}V${frame.bottom}H${frame.right}` }),
    svg("text", { class: "name", x: 2, y: 13 }, `↑ ${axis.y.label}${axis.y.log ? " (log)" : ""}`),
    svg(
      "text",
      { class: "name", x: frame.right, y: frame.bottom + 36, "text-anchor": "end" },
      `${axis.x.label}${axis.x.log ? " (log)" : ""} →`,
    ),
  );
  return parts;
}

const drawnSeen = (px, frame) => [
  svg("path", { class: "seen", d: `M${px.toFixed(1)},${frame.top}V${frame.bottom}` }),
  svg("path", { class: "seen-mark", d: `M${px.toFixed(1)},${frame.bottom}l-4,7h8z` }),
];

function drawnRule(rule, x, y, frame) {
  const level = y(rule.y);
  if (level < frame.top || level > frame.bottom) return [];
  return [
    svg("path", { class: "rule", d: `M${frame.left},${level}H${frame.right}` }),
    svg(
      "text",
      {
        class: "rule-name",
        x: rule.left ? frame.left + 4 : frame.right - 4,
        y: level - 5,
        "text-anchor": rule.left ? "start" : "end",
      },
      rule.label,
    ),
  ];
}

function drawnSeries(one, x, y, frame, hits) {
  const parts = [];
  if (one.band)
    parts.push(svg("path", { class: "band", d: bandPath(one.band, x, y), style: `fill:${one.colour}` }));
  if (one.line !== false) {
    parts.push(
      svg("path", {
        class: one.key === "truth" ? "line truth" : "line",
        d: linePath(one.points, x, y),
        style: `stroke:${one.colour};stroke-width:${one.width || 1.8}`,
        "stroke-dasharray": one.dash,
      }),
    );
  }
  for (const point of one.points) {
    if (!isNumber(point.x) || !isNumber(point.y)) continue;
    const px = x(point.x),
      py = y(point.y);
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
