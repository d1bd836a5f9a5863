// Training curves, and what the journal tells besides the loss.
const groupsOfCurves = { train: "", validation: "validation: ", diagnostics: "diagnostics: " };
const notQuantities = new Set(["step", "seconds"]);

function curvesHere() {
  return report.curves.filter((curve) => curve.data === state.data && curve.option === state.option);
}

function quantitiesHere() {
  return unique(
    curvesHere().flatMap((curve) =>
      Object.keys(groupsOfCurves).flatMap((group) =>
        Object.keys(curve[group] || {})
          .filter((name) => !notQuantities.has(name))
          .map((name) => `${groupsOfCurves[group]}${name}`),
      ),
    ),
  );
}

function columnOf(curve, quantity, by) {
  const group = Object.keys(groupsOfCurves)
    .reverse()
    .find((key) => quantity.startsWith(groupsOfCurves[key]));
  const values = curve[group]?.[quantity.slice(groupsOfCurves[group].length)],
    places = curve[group]?.[by];
  return values && places
    ? values.map((y, i) => ({
        x: places[i],
        y,
        tip: `${curve.method}, seed ${curve.seed}\n${by} ${show(places[i], 4)}: ${show(y)}`,
      }))
    : null;
}

function trainingSection() {
  if (!report.curves.length) return null;
  const quantity = localChoice("quantity", () => figure.redraw()),
    axis = localChoice("along", () => figure.redraw());
  const figure = chart(() => {
    const all = quantitiesHere();
    if (!all.length) return null;
    const chosen = quantity.use(all),
      by = axis.use(chosen.includes(":") ? ["step"] : ["step", "seconds"]);
    const series = names.method.flatMap((method) =>
      curvesHere()
        .filter((curve) => curve.method === method)
        .map((curve, i) => ({
          key: method,
          colour: colourOf(method),
          width: i ? 1 : 1.7,
          points: columnOf(curve, chosen, by),
        }))
        .filter((one) => one.points),
    );
    const sparse = Math.max(0, ...series.map((one) => one.points.length)) <= 12;
    for (const one of series) ((one.marks = sparse), (one.size = 3));
    return {
      series,
      ratio: 0.42,
      x: { label: by },
      y: { label: chosen, log: !/share|rate|diverged|evaluations/.test(chosen) },
    };
  });
  return showWhen(
    () => quantitiesHere().length > 0,
    section(
      "training",
      "Training curves",
      "What each run wrote down as it learned; a line for each seed. Losses of different methods measure different things: compare their course, not their height.",
      el("div", { class: "bar quiet" }, quantity.node, axis.node),
      figure,
    ),
  );
}
