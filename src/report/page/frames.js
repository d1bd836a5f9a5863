// The last frame of each forecast beside the truth: what is right, and where the error sits.
function framePanel(caption, label, cells, ny, nx, palette) {
  const canvas = picture(label);
  paint(canvas, cells, ny, nx, palette);
  return el("figure", { class: "panel" }, canvas, caption ? el("figcaption", {}, caption) : null);
}

/// What a panel shows: the chosen frame of a field, or all of them for a field on a line.
function cellsFor(scene, text, frame, channel) {
  return isLine(scene)
    ? spaceTime(scene, text, channel)
    : { cells: frameOf(scene, text, frame, channel), ny: scene.grid[0], nx: scene.grid[1] };
}

function frameBlock(scene, one, frame, channel) {
  const range = scene.ranges[channel],
    time = `t = ${show(scene.times[frame])}`,
    error = one.rms?.[frame];
  const panel = (text, palette, label) => {
    if (!text) return el("div", { class: "panel empty" }, `no ${label}`);
    const { cells, ny, nx } = cellsFor(scene, text, frame, channel);
    return framePanel(
      label,
      `${label}, ${one.method}, ${scene.channels[channel]} at ${time}`,
      cells,
      ny,
      nx,
      palette,
    );
  };
  return el(
    "div",
    { class: "block" },
    el(
      "div",
      { class: "block-name" },
      el("span", { class: "swatch", style: `background:${colourOf(one.method)}` }),
      el("b", {}, one.method),
      one.rms ? el("span", { class: "fine" }, isNumber(error) ? `RMSE ${show(error)}` : "diverged") : null,
    ),
    el(
      "div",
      { class: "three" },
      panel(scene.truth?.fields, range.palette, "truth"),
      panel(one.fields, range.palette, "prediction"),
      panel(one.errors, "diverging", "error"),
    ),
  );
}

function framesSection() {
  if (!(report.scenes || []).some(isField)) return null;
  const title = el("p", { class: "fine" }),
    grid = el("div", { class: "frames" }),
    bars = el("div", { class: "bars" });
  const channel = localChoice("channel", () => draw());
  const here = () => sceneOf(state.data, state.option);
  const chosen = () => here().channels.indexOf(channel.use(here().channels));
  const save = mapDownloads(
    () => ["frames", state.data, here().channels[chosen()]],
    () => mapsOf(here(), here().times.length - 1, chosen(), ["prediction", "error"]),
  );
  const draw = () => {
    const scene = here(),
      there = scene && isField(scene);
    channel.node.hidden = true;
    bars.replaceChildren();
    grid.replaceChildren();
    if (!there) return;
    const c = chosen(),
      frame = scene.times.length - 1,
      range = scene.ranges[c];
    title.textContent = `${isLine(scene) ? "x to the right, time upwards" : `Last frame, t = ${show(scene.times[frame])}`}; sample ${scene.sample}, ${scene.channels[c]}; ${sceneWords(scene)} ${scene.note}`;
    bars.append(
      colourBar(range.low, range.high, range.palette, "state"),
      colourBar(-range.reach, range.reach, "diverging", "error"),
    );
    grid.append(
      ...scene.methods
        .filter((one) => !state.hidden.has(one.method))
        .map((one) => frameBlock(scene, one, frame, c)),
    );
  };
  watch(draw);
  return showWhen(
    () => Boolean(here()) && isField(here()),
    section(
      "frames",
      "Final frames",
      "Truth, prediction and their difference at the end of the forecast. All methods share one scale of colours; hatched cells hold no number.",
      el("div", { class: "bar quiet" }, channel.node, bars),
      title,
      grid,
      save,
    ),
  );
}
