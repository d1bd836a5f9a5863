// The forecasts as films: fields side by side, states of a few numbers as moving points.
function filmPanels(scene, what, channel) {
  const range = scene.ranges[channel],
    films = [];
  const add = (name, text, palette, rms) => {
    const canvas = picture(`${what} of ${name}`),
      line = el("span", { class: "fine" });
    films.push({
      canvas,
      line,
      text,
      palette,
      rms,
      node: el(
        "figure",
        { class: "panel" },
        el(
          "figcaption",
          {},
          el("span", { class: "swatch", style: `background:${colourOf(name)}` }),
          el("b", {}, name),
          " ",
          line,
        ),
        canvas,
      ),
    });
  };
  if (scene.truth && what === "prediction") add("truth", scene.truth.fields, range.palette);
  for (const one of scene.methods) {
    if (state.hidden.has(one.method)) continue;
    const text = what === "prediction" ? one.fields : one.errors;
    if (text) add(one.method, text, what === "prediction" ? range.palette : "diverging", one.rms);
  }
  return films;
}

/// Curves over x at one moment: bytes back to numbers.
function lineSeries(scene, frame, channel) {
  const { low, high } = scene.ranges[channel];
  const series = (key, text) => ({
    key,
    colour: colourOf(key),
    width: key === "truth" ? 6 : 1.6,
    points: [...frameOf(scene, text, frame, channel)].map((b, x) => ({
      x,
      y: valueOf(b, low, high),
    })),
  });
  return (scene.truth ? [series("truth", scene.truth.fields)] : []).concat(
    scene.methods.map((one) => series(one.method, one.fields)),
  );
}

/// The way so far, and where it has got to.
function trailSeries(scene, frame) {
  const flat = scene.channels.length < 2;
  return stateSeries(scene, flat ? "time" : 0, flat ? 0 : 1).flatMap((one) => [
    { ...one, points: one.points.slice(0, frame + 1) },
    { ...one, line: false, marks: true, size: 5.5, points: one.points.slice(frame, frame + 1) },
  ]);
}

function fixedDomains(scene) {
  const all = stateSeries(
    scene,
    scene.channels.length < 2 ? "time" : 0,
    scene.channels.length < 2 ? 0 : 1,
  ).filter((one) => one.key === "truth" || !scene.truth);
  const of = (axis) => {
    const [low, high] = domainOf(
      all.flatMap((one) => one.points.map((p) => p[axis])),
      false,
    );
    return [low - 0.1 * (high - low), high + 0.1 * (high - low)];
  };
  return { x: of("x"), y: of("y") };
}

function movingChart(scene, frame, channel) {
  if (isLine(scene)) {
    const { low, high } = scene.ranges[channel],
      air = 0.05 * (high - low);
    return {
      series: lineSeries(scene, frame, channel),
      ratio: 0.5,
      x: { label: "cell" },
      y: { label: scene.channels[channel], domain: [low - air, high + air] },
    };
  }
  const domain = fixedDomains(scene),
    flat = scene.channels.length < 2;
  return {
    series: trailSeries(scene, frame),
    ratio: 0.6,
    x: { label: flat ? "time" : scene.channels[0], domain: domain.x },
    y: { label: scene.channels[flat ? 0 : 1], domain: domain.y },
  };
}

function rolloutSection() {
  if (!(report.scenes || []).length) return null;
  let films = [],
    frame = 0;
  const panels = el("div", { class: "films" }),
    text = el("p", { class: "fine" });
  const scene = () => sceneOf(state.data, state.option);
  const channel = localChoice("channel", () => rebuild()),
    what = localChoice("show", () => rebuild());
  const c = () => (isField(scene()) ? scene().channels.indexOf(channel.use(scene().channels)) : 0);
  const moving = chart(() =>
    scene() && (!isField(scene()) || isLine(scene()))
      ? movingChart(scene(), Math.min(frame, scene().times.length - 1), c())
      : null,
  );
  const draw = (at) => {
    frame = at;
    for (const film of films) {
      paint(
        film.canvas,
        frameOf(scene(), film.text, at, c()),
        scene().grid[0],
        scene().grid[1],
        film.palette,
      );
      film.line.textContent = film.rms
        ? isNumber(film.rms[at])
          ? `RMSE ${show(film.rms[at])}`
          : "diverged"
        : "";
    }
    if (!films.length) moving.redraw();
  };
  const clock = player(draw);
  const save = mapDownloads(
    () => ["rollout", state.data, films.what, scene().channels[c()], `t${show(scene().times[frame])}`],
    () => mapsOf(scene(), frame, c(), [films.what]),
  );
  const rebuild = () => {
    const here = scene();
    films = [];
    text.textContent = here
      ? `Sample ${here.sample}, ${plural(here.times.length, "frame")}; ${sceneWords(here)} ${here.note}`
      : "";
    clock.node.hidden = !here;
    what.node.hidden = channel.node.hidden = true;
    if (here && isField(here)) {
      c();
      if (!isLine(here)) {
        const kind = what.use(here.truth ? ["prediction", "error"] : ["prediction"]);
        films = Object.assign(filmPanels(here, kind, c()), { what: kind });
      }
    }
    save.hidden = !films.length;
    panels.replaceChildren(...films.map((film) => film.node));
    if (here && here.times !== rebuild.times) clock.show((rebuild.times = here.times));
    else clock.redraw();
  };
  const node = section(
    "rollout",
    "Rollout",
    "The forecasts as they unfold, all at the same moment. The slider scrubs; with the slider in focus, arrow keys step and the space bar plays.",
    el("div", { class: "bar quiet" }, channel.node, what.node),
    text,
    clock.node,
    panels,
    save,
    moving,
  );
  watch(rebuild);
  return showWhen(() => Boolean(scene()), node);
}
