// How errors grow along the rollout.
function timeChart() {
  return chart(() => {
    const series = names.method.flatMap((method) => timeSeries(method));
    return {
      series,
      ratio: 0.42,
      x: { label: "predicted frame" },
      y: { label: "RMSE over all test samples, physical units", log: true },
      note: series.length ? "" : "This evaluation has no errors frame by frame.",
    };
  });
}

function timeSeries(method) {
  const curves = cellsOf({ data: state.data, option: state.option, method })
    .map((cell) => scoreOf(cell, state.evaluation, state.protocol, "rollout_rmse")?.per_frame)
    .filter(Boolean);
  if (!curves.length) return [];
  const frames = curves[0].frame;
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
      x: frame,
      y: middle,
      low: Math.min(...at[i]),
      high: Math.max(...at[i]),
      tip: `${method}, frame ${frame}\n${plusMinus({ mean: middle, deviation: spread, count: at[i].length })}`,
    };
  });
  return [{ key: method, colour: colourOf(method), points, band: curves.length > 1 ? points : null }];
}

function timeSection() {
  if (
    !report.cells.some((cell) =>
      Object.values(cell.evaluations).some(
        (e) => e.time_informed?.rollout_rmse?.per_frame || e.direct?.rollout_rmse?.per_frame,
      ),
    )
  )
    return null;
  return section(
    "time",
    "Error over time",
    "How the error grows along the rollout: mean over seeds, with a band from the best seed to the worst. A flat curve means that errors do not build up.",
    timeChart(),
  );
}
