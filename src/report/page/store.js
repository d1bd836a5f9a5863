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
  hidden: new Set(),
};

/// What an evaluation measured, beside single steps.
const protocolsOf = (evaluation) =>
  ["time_informed", "direct"].filter((protocol) =>
    report.cells.some((cell) => cell.evaluations[evaluation]?.[protocol]),
  );
function settle() {
  const there = protocolsOf(state.evaluation);
  if (there.length && !there.includes(state.protocol)) state.protocol = there[0];
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
  one_step: "one step from the truth",
};
const metrics = {
  rollout_rmse: { name: "Rollout error", unit: "RMSE, physical units", symbol: "L_τ" },
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

const sceneOf = (data, option) =>
  (report.scenes || []).find((scene) => scene.data === data && scene.option === option);
const colourOf = (method) =>
  method === "truth" ? "var(--ink)" : `var(--m${names.method.indexOf(method) % 10})`;
const shapes = ["circle", "square", "triangle", "diamond", "cross", "star"];
const severalOptions = names.option.length > 1;
const labelOf = (option) => (severalOptions ? option : "");
