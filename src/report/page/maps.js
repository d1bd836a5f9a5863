// Maps of fields as files: one SVG of all that are shown, with their scales, and one CSV of their cells.
//
// A map: { name, what, channel, time, cells, ny, nx, palette, low, high }   name: the method, or truth
//   time: of the frame, or of each row for a field on a line
const valueOf = (byte, low, high) => (byte === missingByte ? null : low + ((high - low) * byte) / topByte);

/// The panels of a scene at one frame (of a field on a line: all frames), truth first.
function mapsOf(scene, frame, channel, kinds) {
  const range = scene.ranges[channel],
    maps = [];
  const add = (name, what, text) => {
    if (!text) return;
    const error = what === "error";
    maps.push({
      name,
      what,
      channel: scene.channels[channel],
      time: isLine(scene) ? scene.times : scene.times[frame],
      ...cellsFor(scene, text, frame, channel),
      palette: error ? "diverging" : range.palette,
      low: error ? -range.reach : range.low,
      high: error ? range.reach : range.high,
    });
  };
  if (kinds.includes("prediction")) add("truth", "state", scene.truth?.fields);
  for (const one of scene.methods) {
    if (state.hidden.has(one.method)) continue;
    if (kinds.includes("prediction")) add(one.method, "state", one.fields);
    if (kinds.includes("error")) add(one.method, "error", one.errors);
  }
  return maps;
}

/// The page holds fields in 254 shades, so a value is exact to half a shade of its scale.
function mapsCsv(maps) {
  const lines = [["series", "shown", "channel", "time", "y", "x", "value"]];
  for (const map of maps)
    for (let y = 0; y < map.ny; ++y)
      for (let x = 0; x < map.nx; ++x) {
        const line = Array.isArray(map.time),
          value = valueOf(map.cells[y * map.nx + x], map.low, map.high);
        lines.push([map.name, map.what, map.channel, line ? map.time[y] : map.time, line ? 0 : y, x, isNumber(value) ? Number(value.toPrecision(6)) : ""]);
      }
  return csvOf(lines);
}

function mapsSvg(maps) {
  const side = 180,
    air = 12,
    text = 34,
    across = Math.min(4, Math.max(1, maps.length)),
    rows = Math.ceil(maps.length / across);
  const width = across * (side + air) + air,
    height = rows * (side + text + air) + air;
  const looks = "font-family:sans-serif;font-size:11px;fill:#222";
  return new XMLSerializer().serializeToString(
    svg(
      "svg",
      { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` },
      svg("rect", { width, height, style: "fill:#fff" }),
      maps.map((map, i) => {
        const x = air + (i % across) * (side + air),
          y = air + Math.floor(i / across) * (side + text + air);
        const when = Array.isArray(map.time) ? "time upwards" : `t = ${show(map.time)}`;
        const canvas = picture("");
        paint(canvas, map.cells, map.ny, map.nx, map.palette);
        return [
          svg("text", { x, y: y + 10, style: looks }, `${map.name}${map.what === "error" ? ", error" : ""}, ${map.channel}, ${when}`),
          svg("text", { x, y: y + 24, style: looks }, `${show(map.low)} to ${show(map.high)}`),
          svg("image", { x, y: y + text, width: side, height: side, href: canvas.toDataURL(), preserveAspectRatio: "none", style: "image-rendering:pixelated" }),
        ];
      }),
    ),
  );
}

/// maps(): what is shown now.
const mapDownloads = (words, maps) => downloadButtons(words, () => mapsSvg(maps()), () => mapsCsv(maps()));
