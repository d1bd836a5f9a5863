// How errors grow along the rollout.
function timeChart() {
  return chart(() => {
    const series = names.method.flatMap((method) => timeSeries(method)).concat(baselineSeries());
    const inTime = timesKnown(),
      seen = inTime ? trainingTimes() : [];
    return {
      series,
      seen,
      ratio: 0.42,
      x: { label: inTime ? "time since the given frame" : "predicted frame" },
      y: { label: "RMSE over all samples, physical units", log: true },
      note: seen.length ? "Triangles mark the frames that training saw; what lies between was never shown." : "",
    };
  });
}

/// Records of older versions count frames only; beside such a one all curves go by frames.
const timesKnown = () =>
  cellsOf({ data: state.data, option: state.option })
    .map((cell) => scoreOf(cell, state.evaluation, state.protocol, "rollout_rmse")?.per_frame)
    .every((curve) => !curve || curve.time);

function timeSeries(method) {
  const curves = cellsOf({ data: state.data, option: state.option, method })
    .map((cell) => scoreOf(cell, state.evaluation, state.protocol, "rollout_rmse")?.per_frame)
    .filter(Boolean);
  if (!curves.length) return [];
  const frames = curves[0].frame,
    times = timesKnown() ? curves[0].time : null;
  const at = frames.map((frame, i) =>
    curves
      .filter((c) => c.frame[i] === frame)
      .map((c) => c.value[i])
      .filter(isNumber),
  );
  const points = frames.map((frame, i) => {
    const middle = at[i].length ? mean(at[i]) : null,
      spread = deviation(at[i]);
    return {
      x: times ? times[i] : frame,
      y: middle,
      low: Math.min(...at[i]),
      high: Math.max(...at[i]),
      tip: `${method}, frame ${frame}${times ? `, t = ${show(times[i])}` : ""}\n${plusMinus({ mean: middle, deviation: spread, count: at[i].length })}`,
    };
  });
  return [{ key: method, colour: colourOf(method), points, band: curves.length > 1 ? points : null }];
}

const dashes = ["6 4", "2 4"];
function baselineSeries() {
  const here = { data: state.data, option: state.option };
  return baselineNames().flatMap((name, i) => {
    const curve = baselineScore(here, name, state.evaluation, state.protocol, "rollout_rmse")?.per_frame;
    if (!curve) return [];
    const times = timesKnown() ? curve.time : null;
    return {
      key: baselineTitle(name),
      colour: colourOf(name),
      dash: dashes[i % dashes.length],
      points: curve.frame.map((frame, k) => ({
        x: times ? times[k] : frame,
        y: curve.value[k],
        tip: `${baselineTitle(name)}, frame ${frame}\n${show(curve.value[k])}`,
      })),
    };
  });
}

/// Frames that training saw; too many to tell apart are not marked.
function trainingTimes() {
  const times =
    cellsOf({ data: state.data, option: state.option })
      .map((cell) => cell.evaluations[state.evaluation]?.training)
      .find((list) => list?.length) || [];
  return times.length <= 60 ? times.filter(isNumber) : [];
}

function timeSection() {
  if (
    !report.cells.some((cell) =>
      Object.values(cell.evaluations).some(
        (e) =>
          e.time_informed?.rollout_rmse?.per_frame ||
          e.direct?.rollout_rmse?.per_frame ||
          e.forecast?.rollout_rmse?.per_frame,
      ),
    )
  )
    return null;
  return showWhen(
    () => names.method.some((method) => timeSeries(method).length),
    section(
      "time",
      "Error over time",
      "How the error grows along the rollout: mean over seeds, with a band from the best seed to the worst. A flat curve means that errors do not build up.",
      timeChart(),
    ),
  );
}
