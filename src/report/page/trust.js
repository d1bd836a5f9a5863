// Does the model know when it is wrong? Its own score, which needs no truth, against the error.
function trustsHere() {
  return cellsOf({ data: state.data, option: state.option })
    .map((cell) => ({ cell, trust: cell.evaluations[state.evaluation]?.[state.protocol]?.trust }))
    .filter(({ trust }) => trust?.reliability?.length);
}

function trustChart() {
  return chart(() => {
    const all = trustsHere();
    if (!all.length) return null;
    const series = all.map(({ cell, trust }) => ({
      key: cell.method,
      colour: colourOf(cell.method),
      width: 1.2,
      marks: true,
      size: 4,
      points: trust.reliability.map((bin) => ({
        x: bin.mean_score,
        y: bin.mean_error,
        yLow: bin.mean_error,
        yHigh: bin.largest_error,
        tip: `${cell.method}, seed ${cell.seed}\nscore ${show(bin.mean_score)}\nmean error ${show(bin.mean_error)}, largest ${show(bin.largest_error)}\n${bin.count} pairs`,
      })),
    }));
    return {
      series,
      ratio: 0.5,
      x: { label: "score: sum of NRE × step so far", log: true },
      y: { label: "RMSE of the frame, physical units", log: true },
      note: rankWords(all),
    };
  });
}

function rankWords(all) {
  const words = unique(all.map(({ cell }) => cell.method)).map((method) => {
    const values = all
      .filter(({ cell }) => cell.method === method)
      .map(({ trust }) => trust.rank_correlation)
      .filter(isNumber);
    return values.length
      ? `${method} ${plusMinus({ mean: mean(values), deviation: deviation(values), count: values.length })}`
      : "";
  });
  return `Rank correlation of score and error (1: a perfect ranking): ${words.filter(Boolean).join(", ")}.`;
}

function trustSection() {
  if (
    !report.cells.some((cell) =>
      Object.values(cell.evaluations).some((e) => e.time_informed?.trust || e.direct?.trust),
    )
  )
    return null;
  return showWhen(
    () => trustsHere().length > 0,
    section(
      "trust",
      "Trust calibration",
      "Frames sorted by the model's own doubt and cut into bins of equal size: mean error of each bin, with a bar up to its largest. A rising line means that the doubt can be trusted. A line for each seed.",
      trustChart(),
    ),
  );
}
