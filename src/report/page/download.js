// What is shown as a file: charts as SVG with their looks inside, numbers as CSV.
const copiedLooks = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "opacity", "font-size", "font-family", "paint-order", "visibility",
];

/// Classes and variables mean nothing outside of the page, so every element carries what they came to.
function standaloneSvg(picture) {
  const copy = picture.cloneNode(true);
  const from = [picture, ...picture.querySelectorAll("*")],
    to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((node, i) => {
    const looks = getComputedStyle(node);
    to[i].setAttribute("style", copiedLooks.map((name) => `${name}:${looks.getPropertyValue(name)}`).join(";"));
    to[i].removeAttribute("class");
  });
  const paper = getComputedStyle(picture.closest(".chart")).backgroundColor;
  copy.prepend(svg("rect", { width: "100%", height: "100%", style: `fill:${paper}` }));
  copy.setAttribute("xmlns", SVG);
  return new XMLSerializer().serializeToString(copy);
}

const csvCell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const csvOf = (lines) => lines.map((line) => line.map(csvCell).join(",")).join("\n") + "\n";

function chartCsv(spec) {
  const series = spec.series.filter((one) => !state.hidden.has(one.key) && !one.quiet);
  const bars = ["xLow", "xHigh", "yLow", "yHigh", "low", "high"].filter((key) =>
    series.some((one) => one.points.some((point) => isNumber(point[key]))),
  );
  const lines = [["series", spec.x.label, spec.y.label, ...bars]];
  for (const one of series)
    for (const point of one.points)
      lines.push([point.name || one.label || one.key, point.x, point.y, ...bars.map((key) => point[key])]);
  for (const rule of spec.rules || []) lines.push([rule.label, "", rule.y, ...bars.map(() => "")]);
  return csvOf(lines);
}

function saved(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const fileName = (words, ending) =>
  `${words.filter(Boolean).join("-").toLowerCase().replace(/[^a-z0-9+]+/g, "-").replace(/^-|-$/g, "") || "chart"}.${ending}`;

/// Buttons for the plot in a figure. words() name the files; asSvg() and asCsv() give their texts.
function downloadButtons(words, asSvg, asCsv) {
  const button = (label, title, act) => el("button", { type: "button", title, onclick: act }, label);
  return el(
    "div",
    { class: "downloads" },
    button("SVG", "download this plot as SVG", () => saved(fileName(words(), "svg"), "image/svg+xml", asSvg())),
    button("CSV", "download the numbers of this plot", () => saved(fileName(words(), "csv"), "text/csv", asCsv())),
  );
}

/// Those of one chart; `look` returns { spec, picture } of what is shown.
const downloads = (figure, look) =>
  downloadButtons(
    () => [figure.closest("section")?.id, look().spec.title || state.data],
    () => standaloneSvg(look().picture),
    () => chartCsv(look().spec),
  );
