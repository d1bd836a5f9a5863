// Does the model know when it is wrong? Its own score, which needs no truth, against the error.
function trustsHere() {
  return cellsOf({ data: state.data, option: state.option })
    .map((cell) => ({ cell, trust: cell.evaluations[state.evaluation]?.[state.protocol]?.trust }))
    .filter(({ trust }) => trust?.reliability?.length);
}

// Evaluations of older versions have one list of bins over all lead times.
function leadTimes(trust) {
  return trust.reliability[0]?.parts
    ? trust.reliability.map((bin) => ({ ...bin, words: `lead time ${show(bin.from)} to ${show(bin.to)}` }))
    : [{ parts: trust.reliability, words: "all lead times together" }];
}

function trustChart() {
  return chart(() => {
    const all = trustsHere();
    if (!all.length) return null;
    const series = all.flatMap(({ cell, trust }) =>
      leadTimes(trust).map(({ parts, words }) => ({
        key: cell.method,
        colour: colourOf(cell.method),
        width: 1.2,
        marks: true,
        size: 4,
        points: parts.map((part) => ({
          x: part.mean_score,
          y: part.mean_error,
          yLow: part.mean_error,
          yHigh: part.largest_error,
          tip: `${cell.method}, seed ${cell.seed}, ${words}\ndoubt ${show(part.mean_score)}\nmean error ${show(part.mean_error)}, largest ${show(part.largest_error)}\n${part.count} pairs`,
        })),
      })),
    );
    return {
      series,
      ratio: 0.5,
      x: { label: "doubt: sum of NRE × step so far", log: true },
      y: { label: "RMSE of the frame, physical units", log: true },
      note: rankWords(all),
    };
  });
}

// Mean and deviation over seeds of a number of each cell, method by method; empty where none has it.
function byMethod(all, numberOf) {
  return unique(all.map(({ cell }) => cell.method))
    .map((method) => {
      const values = all
        .filter(({ cell }) => cell.method === method)
        .map(({ trust }) => numberOf(trust))
        .filter(isNumber);
      return values.length
        ? `${method} ${plusMinus({ mean: mean(values), deviation: deviation(values), count: values.length })}`
        : "";
    })
    .filter(Boolean)
    .join(", ");
}

const signalWords = {
  doubt: "the doubt",
  doubling: "step doubling",
  spread: "the spread of members",
  time: "time alone",
  distance: "distance from the start alone",
};

// What the solver that searches would have changed, where the NRE of the steps was not measured.
function searchWords(all) {
  const each = unique(all.map(({ cell }) => cell.method))
    .map((method) => {
      const own = all.filter(({ cell, trust }) => cell.method === method && trust.search).map(({ trust }) => trust.search);
      if (!own.length) return "";
      const total = (key) => own.reduce((sum, one) => sum + one[key], 0);
      const shorter = total("shortened");
      return `${method} ${shorter} of ${total("steps")}${shorter ? "" : ", so gcs would lead to the same states for 3 evaluations a step instead of 1"}`;
    })
    .filter(Boolean);
  return each.length
    ? `One evaluation per step. Steps that gcs, which measures the NRE of each one first, would have made shorter: ${each.join("; ")}.`
    : "";
}

// The signal that the samples are sorted by.
const sortedBy = (trust) => trust.reliability_of ?? "doubt";

function rankWords(all) {
  const within = Object.entries(signalWords)
    .map(([name, words]) => [words, byMethod(all, (trust) => trust.rank_correlation?.[name]?.within_frames?.[0])])
    .filter(([, values]) => values)
    .map(([words, values]) => `${words}: ${values}`);
  const signal = sortedBy(all[0].trust);
  const single = all.length === 1 ? all[0].trust.rank_correlation?.[signal]?.within_frames : null;
  const interval = single
    ? ` (95 % interval of ${signalWords[signal]} ${show(single[1])} to ${show(single[2])})`
    : "";
  const pooled = byMethod(all, (trust) =>
    isNumber(trust.rank_correlation) ? trust.rank_correlation : trust.rank_correlation?.[sortedBy(trust)]?.pooled,
  );
  return [
    within.length
      ? `Rank correlation with the error among the samples at equal lead time (1: a perfect ranking, 0: none): ${within.join("; ")}${interval}.`
      : "",
    pooled
      ? `With all frames together, where errors grow with time and so does every sum along a forecast: ${signalWords[signal]}: ${pooled}.`
      : "",
    searchWords(all),
  ]
    .filter(Boolean)
    .join(" ");
}

function trustSection() {
  if (
    !report.cells.some((cell) =>
      Object.values(cell.evaluations).some((e) => e.time_informed?.trust || e.forecast?.trust),
    )
  )
    return null;
  return showWhen(
    () => trustsHere().length > 0,
    section(
      "trust",
      "Trust",
      "The samples of each frame sorted by the model's own doubt (the spread of its members, where it has several) and cut into four parts: mean error of each part, with a bar up to its largest. A line for each third of the lead times, and for each seed. A line that rises means that the doubt tells the better forecasts from the worse ones of the same length; that the lines lie above each other says only that errors grow with time.",
      trustChart(),
    ),
  );
}
