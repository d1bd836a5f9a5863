// The main figure: accuracy against cost, a chart for each data set.
const protocolFor = (metric) => (metric === "step_rmse" ? "one_step" : state.protocol);
const isMeasured = (metric) =>
  report.cells.some((cell) =>
    names.evaluation.some((evaluation) =>
      Object.keys(protocols).some((protocol) => isNumber(scoreOf(cell, evaluation, protocol, metric)?.value)),
    ),
  );
const isCost = (metric) => metric === "nfe" || metric === "seconds_per_frame";
const metricsThere = () => Object.keys(metrics).filter((metric) => !isCost(metric) && isMeasured(metric));

// Channels of a user's run may have any units; a study stays with the error of its tables.
if (report.kind === "run" && isMeasured("normalized_rmse")) state.metric = "normalized_rmse";

function accuracyPoint(data, option, method) {
  const wanted = { data, option, method },
    protocol = protocolFor(state.metric);
  const error = summary(wanted, state.evaluation, protocol, state.metric);
  const cost = summary(wanted, state.evaluation, protocol, "nfe");
  const metric = metrics[state.metric];
  const place = severalOptions ? `${method}, ${option}` : method;
  return {
    x: cost.mean,
    y: error.mean,
    xLow: cost.mean - cost.deviation,
    xHigh: cost.mean + cost.deviation,
    yLow: error.mean - error.deviation,
    yHigh: error.mean + error.deviation,
    diverged: error.diverged,
    hollow: error.diverged > 0,
    name: place,
    tip: `${place}\n${metric.name.toLowerCase()} ${plusMinus(error)}\nevaluations ${plusMinus(cost)}\n${plural(error.count, "seed")}${error.diverged ? `, ${error.diverged} diverged` : ""}`,
  };
}

function floorsOf(data) {
  const floors = report.floors?.[data]?.[state.option];
  const everyFrame = report.cells.some((cell) => cell.evaluations[state.evaluation]?.every_frame === "1");
  if (state.metric !== "rollout_rmse" || state.protocol !== "time_informed" || !everyFrame || !floors)
    return [];
  return Object.entries(floors)
    .filter(([, value]) => isNumber(value) && value > 0)
    .map(([name, value]) => ({
      y: value,
      label: `floor of ${name}${severalOptions ? `, ${state.option}` : ""}`,
    }));
}

function baselineRules(data) {
  return baselineNames()
    .map((name) => [
      name,
      baselineScore({ data, option: state.option }, name, state.evaluation, protocolFor(state.metric), state.metric),
    ])
    .filter(([, score]) => score?.value > 0)
    .map(([name, score], i) => ({ y: score.value, label: baselineTitle(name), left: i % 2 === 0 }));
}

function accuracyChart(data) {
  return chart(() => {
    const series = names.method.flatMap((method) =>
      names.option.map((option, index) => ({
        key: method,
        colour: colourOf(method),
        line: false,
        marks: true,
        size: 6,
        shape: shapes[index % shapes.length],
        points: [accuracyPoint(data, option, method)],
      })),
    );
    const points = series.map((one) => one.points[0]),
      lost = points.filter((point) => point.diverged);
    if (!points.some((point) => isNumber(point.y))) return null;
    return {
      title: names.data.length > 1 ? data : "",
      ratio: 0.75,
      series,
      rules: floorsOf(data).concat(baselineRules(data)),
      x: {
        label: `network evaluations a ${protocolFor(state.metric) === "direct" ? "target" : "frame"}`,
        log: true,
      },
      y: { label: `${metrics[state.metric].name}, ${metrics[state.metric].unit}`, log: true },
      note: lost.length
        ? `Hollow marks are means over the seeds that are left; diverged: ${lost.map((point) => `${point.name} (${plural(point.diverged, "seed")})`).join(", ")}.`
        : "",
    };
  });
}

function optionKey() {
  if (!severalOptions) return null;
  return el(
    "ul",
    { class: "shapes", "aria-label": "shapes of the options" },
    names.option.map((option, index) =>
      el(
        "li",
        {},
        svg(
          "svg",
          { width: 16, height: 16, viewBox: "-8 -8 16 16", "aria-hidden": "true" },
          mark(shapes[index % shapes.length], 0, 0, 4.5, "var(--muted)"),
        ),
        option,
      ),
    ),
  );
}

function accuracySection() {
  if (!metricsThere().length) return null;
  const better = el("span", {});
  watch(() => {
    better.textContent = metrics[state.metric].higher ? "Upper left is better" : "Lower left is better";
  });
  return section(
    "accuracy",
    "Accuracy against evaluations",
    "",
    el(
      "p",
      { class: "aid" },
      better,
      ": a smaller error for fewer calls of the network. Marks are means over seeds, bars one standard deviation; hover or tap for numbers, click a name to hide it.",
      baselineNames().length ? " Dashed lines are forecasts without a model: who is above them has learned nothing." : null,
      report.floors ? " A dashed floor is the error that a method would keep even with a perfect fit." : null,
    ),
    el(
      "div",
      { class: "bar quiet" },
      pageChoice("error", "metric", metricsThere(), (metric) => metrics[metric].name),
      evaluationChoice(),
      protocolChoice(),
      report.floors ? pageChoice("floors of", "option", names.option) : null,
      optionKey(),
    ),
    el("div", { class: names.data.length > 1 ? "charts" : "charts one" }, names.data.map(accuracyChart)),
  );
}
