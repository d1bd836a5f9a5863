// The error of each channel: a mean over channels of different units hides who is wrong where.
const partsOf = (cell) => scoreOf(cell, state.evaluation, state.protocol, "rollout_rmse")?.parts;

function channelsOf(data) {
  return unique(
    cellsOf({ data }).flatMap((cell) =>
      Object.values(cell.evaluations).flatMap((one) =>
        ["time_informed", "direct", "forecast"].flatMap((protocol) => Object.keys(one[protocol]?.rollout_rmse?.parts || {})),
      ),
    ),
  );
}

function channelRows(data) {
  const over = (list, channel) => {
    const values = list.map((parts) => parts?.[channel]).filter(isNumber);
    return { mean: values.length ? mean(values) : null, deviation: deviation(values), count: values.length };
  };
  const row = (name, list) => ({ name, of: (channel) => over(list, channel), there: list.some(Boolean) });
  const here = { data, option: state.option };
  return names.method
    .map((method) => row(method, cellsOf({ ...here, method }).map(partsOf)))
    .concat(
      baselineNames().map((name) =>
        row(baselineTitle(name), [baselineScore(here, name, state.evaluation, state.protocol, "rollout_rmse")?.parts]),
      ),
    )
    .filter((one) => one.there);
}

function channelTable(data) {
  const columns = [
    { name: "method", of: (row) => row.name, colour: (row) => colourOf(row.name) },
    ...channelsOf(data).map((channel) => ({
      name: channel,
      hint: `RMSE of ${channel}, in its own unit`,
      numeric: true,
      of: (row) => row.of(channel).mean,
      text: (row) => plusMinus(row.of(channel)),
    })),
  ];
  const node = sortable(`Error of each channel, ${data}`, columns, () => channelRows(data));
  watch(() => (node.hidden = state.data !== data));
  return node;
}

function channelsSection() {
  const there = names.data.filter((data) => channelsOf(data).length > 1);
  if (!there.length) return null;
  return showWhen(
    () => there.includes(state.data) && channelRows(state.data).length > 0,
    section(
      "channels",
      "Error of each channel",
      "Rollout RMSE of each channel in its own unit, mean over seeds ± one standard deviation.",
      there.map(channelTable),
    ),
  );
}
