// What charts are made of: marks of several shapes, lines with gaps, bars of error, bands.
const markPaths = {
  square: (r) => `M${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  triangle: (r) => `M0,${-1.25 * r}L${1.2 * r},${0.9 * r}L${-1.2 * r},${0.9 * r}z`,
  diamond: (r) => `M0,${-1.35 * r}L${1.35 * r},0L0,${1.35 * r}L${-1.35 * r},0z`,
  cross: (r) => `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`,
  star: (r) =>
    `M0,${-1.3 * r}V${1.3 * r}M${-1.2 * r},${-0.7 * r}L${1.2 * r},${0.7 * r}M${-1.2 * r},${0.7 * r}L${1.2 * r},${-0.7 * r}`,
};

function mark(shape, x, y, radius, colour, hollow) {
  const open = hollow || shape === "cross" || shape === "star";
  const look = {
    class: `mark${radius < 4 ? " small" : ""}${hollow ? " hollow" : ""}`,
    transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
    style: open ? `stroke:${colour};stroke-width:2.2;fill:none` : `fill:${colour}`,
  };
  return markPaths[shape]
    ? svg("path", { ...look, d: markPaths[shape](radius) })
    : svg("circle", { ...look, r: radius });
}

/// A line through the points that are numbers; a gap where one is not.
function linePath(points, x, y) {
  let path = "",
    open = false;
  for (const point of points) {
    const there = isNumber(point.x) && isNumber(point.y);
    if (there) path += `${open ? "L" : "M"}${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`;
    open = there;
  }
  return path;
}

function bandPath(points, x, y) {
  const good = points.filter((p) => isNumber(p.low) && isNumber(p.high));
  if (good.length < 2) return "";
  const edge = (list, key) => list.map((p) => `${x(p.x).toFixed(1)},${y(p[key]).toFixed(1)}`).join("L");
  return `M${edge(good, "high")}L${edge([...good].reverse(), "low")}z`;
}

/// Bars from low to high in each direction, with short caps.
function errorBars(point, x, y, colour) {
  const cap = 3,
    bars = [];
  const add = (d) => bars.push(svg("path", { class: "whisker", d, style: `stroke:${colour}` }));
  const px = x(point.x),
    py = y(point.y);
  if (isNumber(point.yLow) && point.yHigh > point.yLow) {
    const a = y(point.yLow),
      b = y(point.yHigh);
    add(`M${px},${a}V${b}M${px - cap},${a}h${2 * cap}M${px - cap},${b}h${2 * cap}`);
  }
  if (isNumber(point.xLow) && point.xHigh > point.xLow) {
    const a = x(point.xLow),
      b = x(point.xHigh);
    add(`M${a},${py}H${b}M${a},${py - cap}v${2 * cap}M${b},${py - cap}v${2 * cap}`);
  }
  return bars;
}
