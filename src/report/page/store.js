// The document, what is selected of it, and who wants to know when that changes.
const report = JSON.parse(document.getElementById("document").textContent);

const names = {
  data: unique(report.cells.map((cell) => cell.data)),
  option: unique(report.cells.map((cell) => cell.option)),
  method: unique(report.cells.map((cell) => cell.method)),
  evaluation: unique(report.cells.flatMap((cell) => Object.keys(cell.evaluations))),
};

const state = {
  data: names.data[0],
  option: names.option[0],
  evaluation: names.evaluation[0],
  protocol: "time_informed",
  metric: "rollout_rmse",
  sample: null,
  hidden: new Set(),
};

/// Forecasts of the selection: those that the evaluation scored, else any (folders of older versions).
function scenesOf(data, option) {
  const there = (report.scenes || []).filter((scene) => scene.data === data && scene.option === option);
  const scored = there.filter(
    (scene) => scene.evaluation === state.evaluation && scene.protocol === state.protocol,
  );
  return scored.length ? scored : there.filter((scene) => !scene.evaluation);
}
const samplesHere = () => unique(scenesOf(state.data, state.option).map((scene) => scene.sample));

/// What an evaluation measured, beside single steps.
const protocolsOf = (evaluation) =>
  ["time_informed", "direct", "forecast"].filter((protocol) =>
    report.cells.some((cell) => cell.evaluations[evaluation]?.[protocol]),
  );
function settle() {
  const there = protocolsOf(state.evaluation);
  if (there.length && !there.includes(state.protocol)) state.protocol = there[0];
  const samples = samplesHere();
  if (!samples.includes(state.sample)) state.sample = samples[0] ?? null;
}
settle();

const watchers = [];
/// Calls `act` now and after every change.
function watch(act) {
  watchers.push(act);
  act();
}
function change(patch) {
  Object.assign(state, patch);
  settle();
  for (const act of watchers) act();
}
function toggle(key) {
  state.hidden.has(key) ? state.hidden.delete(key) : state.hidden.add(key);
  change({});
}

const protocols = {
  time_informed: "frame by frame",
  direct: "direct to each target",
  forecast: "all frames in one solve",
  one_step: "one step from the truth",
};
const metrics = {
  rollout_rmse: { name: "Rollout error", unit: "RMSE, physical units", symbol: "L_τ" },
  normalized_rmse: { name: "Normalized error", unit: "RMSE over each channel's spread", symbol: "nRMSE" },
  nfe: { name: "Evaluations", unit: "network calls a predicted frame", symbol: "NFE" },
  relative_l2: { name: "Relative error", unit: "L2 over L2 of the truth", symbol: "rel L2" },
  step_rmse: { name: "One-step error", unit: "RMSE, physical units", symbol: "L_t+1" },
  spectrum_error: { name: "Spectrum error", unit: "relative", symbol: "E(k)" },
  conserved: { name: "Drift of conserved totals", unit: "relative", symbol: "drift" },
  correlation_time: { name: "Correlation time", unit: "time", symbol: "t_corr", higher: true },
  seconds_per_frame: { name: "Seconds a frame", unit: "s", symbol: "s/frame" },
};

const matches = (cell, wanted) => Object.entries(wanted).every(([key, value]) => cell[key] === value);
const cellsOf = (wanted) => report.cells.filter((cell) => matches(cell, wanted));
const scoreOf = (cell, evaluation, protocol, metric) => cell.evaluations[evaluation]?.[protocol]?.[metric];

/// Mean and deviation over the seeds, and how many seeds have no number and why.
function summary(wanted, evaluation, protocol, metric) {
  const scores = cellsOf(wanted).map((cell) => scoreOf(cell, evaluation, protocol, metric));
  const values = scores.map((score) => score?.value).filter(isNumber);
  return {
    mean: values.length ? mean(values) : null,
    deviation: deviation(values),
    count: values.length,
    values,
    diverged: scores.filter((score) => score?.status === "diverged").length,
    bound: scores.some((score) => score?.status === "lower bound"),
  };
}

/// The forecasts of the chosen sample.
const sceneOf = (data, option) => {
  const there = scenesOf(data, option);
  return there.find((scene) => scene.sample === state.sample) || there[0];
};
/// How the forecasts came about, and a warning where that is not what the tables count.
const sceneWords = (scene) => {
  if (scene.protocol) return `${protocols[scene.protocol]}, as in the tables.`;
  return protocolsOf(state.evaluation).length
    ? `One solve through all times of the file, which is not the protocol of the tables (${protocols[state.protocol]}).`
    : "One solve through all times of the file.";
};

/// Forecasts without a model, which evaluations of this version score beside it.
const baselineNames = () =>
  unique(
    report.cells.flatMap((cell) =>
      Object.values(cell.evaluations).flatMap((one) =>
        Object.keys(protocols).flatMap((protocol) => Object.keys(one[protocol]?.baselines || {})),
      ),
    ),
  );
const baselineTitle = (name) => name.replaceAll("_", " ");
const baselineScore = (wanted, name, evaluation, protocol, metric) =>
  cellsOf(wanted)
    .map((cell) => cell.evaluations[evaluation]?.[protocol]?.baselines?.[name]?.[metric])
    .find((score) => score && isNumber(score.value));
const baselineAbout = (name) =>
  report.cells
    .flatMap((cell) => Object.values(cell.evaluations))
    .flatMap((one) => Object.keys(protocols).map((protocol) => one[protocol]?.baselines?.[name]?.about))
    .find(Boolean) || "";

const colourOf = (method) =>
  method === "truth"
    ? "var(--ink)"
    : names.method.includes(method)
      ? `var(--m${names.method.indexOf(method) % 10})`
      : "var(--muted)";
const shapes = ["circle", "square", "triangle", "diamond", "cross", "star"];
const severalOptions = names.option.length > 1;
const labelOf = (option) => (severalOptions ? option : "");
