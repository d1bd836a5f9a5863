// Every number, in tables that sort.
function meanOf(cells, key) {
  const values = cells.map((cell) => cell.train?.[key]).filter(isNumber);
  return values.length ? mean(values) : null;
}

function resultRows() {
  return names.data
    .flatMap((data) =>
      names.option.flatMap((option) =>
        names.method.map((method) => {
          const wanted = { data, option, method },
            cells = cellsOf(wanted),
            row = { data, option, method, cells };
          for (const metric of Object.keys(metrics)) {
            const protocol = metric === "step_rmse" ? "one_step" : state.protocol;
            row[metric] = summary(wanted, state.evaluation, protocol, metric);
          }
          return row;
        }),
      ),
    )
    .filter((row) => row.cells.length)
    .concat(names.data.flatMap((data) => names.option.flatMap((option) => baselineRows(data, option))));
}

function baselineRows(data, option) {
  return baselineNames()
    .map((name) => {
      const row = { data, option, method: baselineTitle(name), cells: [] };
      for (const metric of Object.keys(metrics)) {
        const protocol = metric === "step_rmse" ? "one_step" : state.protocol;
        const value = baselineScore({ data, option }, name, state.evaluation, protocol, metric)?.value;
        row[metric] = { mean: value ?? null, deviation: 0, count: isNumber(value) ? 1 : 0, diverged: 0 };
      }
      return row;
    })
    .filter((row) => isNumber(row.rollout_rmse.mean));
}

function scoreText(score) {
  if (score.diverged)
    return `diverged${score.count ? ` (${score.diverged} of ${score.count + score.diverged})` : ""}`;
  return (score.bound ? "≥ " : "") + plusMinus(score);
}

function resultColumns() {
  const score = (metric) => ({
    name: metrics[metric].symbol,
    hint: `${metrics[metric].name}: ${metrics[metric].unit}`,
    numeric: true,
    of: (row) => row[metric].mean,
    text: (row) => scoreText(row[metric]),
  });
  const train = (key, name, hint) => ({
    name,
    hint,
    numeric: true,
    of: (row) => meanOf(row.cells, key),
    text: (row) => show(meanOf(row.cells, key)),
  });
  const there = Object.keys(metrics).filter(isMeasured);
  const trained = [
    ["seconds", "train s", "seconds of training"],
    ["samples_per_s", "samples/s", "training throughput"],
    ["parameters", "parameters", "numbers in the network"],
  ].filter(([key]) => report.cells.some((cell) => isNumber(cell.train?.[key])));
  return [
    names.data.length > 1 ? { name: "data", of: (row) => row.data } : null,
    severalOptions ? { name: "option", of: (row) => row.option } : null,
    { name: "method", of: (row) => row.method, colour: (row) => colourOf(row.method) },
    ...there.map(score),
    ...trained.map((words) => train(...words)),
    {
      name: "seeds",
      numeric: true,
      hint: "runs that finished, of all",
      of: (row) => (row.cells.length ? row.cells.filter((cell) => !cell.failed).length : null),
      text: (row) => !row.cells.length ? "–" : `${row.cells.filter((cell) => !cell.failed).length} of ${row.cells.length}`,
    },
  ].filter(Boolean);
}

const asNumber = (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text);

function studyTable({ name, caption, csv }) {
  const [head = [], ...rows] = parseCsv(csv);
  const columns = head.map((title, index) => {
    const numeric =
      rows.length > 0 && rows.every((row) => !row[index] || typeof asNumber(row[index]) === "number");
    return {
      name: title,
      numeric,
      of: (row) => asNumber(row[index] ?? ""),
      text: (row) => (numeric && row[index] ? show(Number(row[index]), 4) : (row[index] ?? "")),
    };
  });
  return el(
    "details",
    {},
    el("summary", {}, caption ? `${name}: ${caption}` : `Table “${name}” of the study`),
    sortable(name, columns, () => rows),
  );
}

function runsTable() {
  const columns = [
    ["data", "data"],
    ["option", "option"],
    ["method", "method"],
    ["seed", "seed"],
  ].map(([name, key]) => ({ name, numeric: key === "seed", of: (cell) => cell[key] }));
  for (const metric of ["rollout_rmse", "nfe"]) {
    columns.push({
      name: metrics[metric].symbol,
      numeric: true,
      of: (cell) => scoreOf(cell, state.evaluation, state.protocol, metric)?.value,
      text: (cell) => {
        const score = scoreOf(cell, state.evaluation, state.protocol, metric);
        return score?.status === "diverged" ? "diverged" : show(score?.value, 4);
      },
    });
  }
  columns.push(
    {
      name: "steps",
      numeric: true,
      of: (cell) => cell.train?.steps,
      text: (cell) => show(cell.train?.steps),
    },
    {
      name: "last loss",
      numeric: true,
      of: (cell) => cell.train?.loss,
      text: (cell) => show(cell.train?.loss),
    },
    { name: "status", of: (cell) => (cell.failed ? `failed: ${cell.sentence}` : "ok") },
  );
  return el(
    "details",
    {},
    el("summary", {}, "Every run"),
    sortable("Every run", columns, () => report.cells),
  );
}

function resultsSection() {
  const aid =
    "Means over seeds ± one standard deviation. Click a heading to sort; hover it for what the column means.";
  return section(
    "results",
    "Tables",
    aid,
    el("div", { class: "bar quiet" }, evaluationChoice(), protocolChoice()),
    sortable("All methods", resultColumns(), resultRows),
    report.tables.map(studyTable),
    report.kind === "study" ? runsTable() : null,
  );
}
