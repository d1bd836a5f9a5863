// Trajectories in the plane: phase portraits of small states, principal components of any.
function stateSeries(scene, x, y) {
  const of = (values, which, i) => (which === "time" ? scene.times[i] : values[which][i]);
  const series = (key, values) => ({
    key,
    colour: colourOf(key),
    width: key === "truth" ? 6 : 1.6,
    points: scene.times.map((time, i) => ({
      x: of(values, x, i),
      y: of(values, y, i),
      tip: `${key}, t = ${show(time)}\n${x === "time" ? "" : `${scene.channels[x]} ${show(of(values, x, i))}, `}${scene.channels[y]} ${show(of(values, y, i))}`,
    })),
  });
  return (scene.truth ? [series("truth", scene.truth.values)] : []).concat(
    scene.methods.map((one) => series(one.method, one.values)),
  );
}

/// The truth decides what is shown: a method that is lost leaves the picture instead of shrinking it.
function truthDomain(series, axis) {
  const truth = series.filter((one) => one.key === "truth"),
    from = truth.length ? truth : series;
  const [low, high] = domainOf(
      from.flatMap((one) => one.points.map((p) => p[axis])),
      false,
    ),
    air = 0.12 * (high - low);
  return [low - air, high + air];
}

function portraitSection() {
  if (!(report.scenes || []).some((scene) => !isField(scene))) return null;
  const here = () => {
    const scene = sceneOf(state.data, state.option);
    return scene && !isField(scene) ? scene : null;
  };
  const redraw = () => {
    plane.redraw();
    curves.redraw();
  };
  const across = localChoice("across", redraw),
    up = localChoice("upwards", redraw, undefined, 1);
  const note = remark("");
  const plane = chart(() => {
    const scene = here();
    if (!scene || scene.channels.length < 2) return null;
    const x = scene.channels.indexOf(across.use(scene.channels)),
      y = scene.channels.indexOf(up.use(scene.channels));
    const series = stateSeries(scene, x, y);
    return {
      title: "Phase portrait",
      series,
      ratio: 0.8,
      x: { label: scene.channels[x], domain: truthDomain(series, "x") },
      y: { label: scene.channels[y], domain: truthDomain(series, "y") },
    };
  });
  const curves = chart(() => {
    const scene = here();
    if (!scene) return null;
    const y = scene.channels.indexOf(up.use(scene.channels)),
      series = stateSeries(scene, "time", y);
    return {
      title: `${scene.channels[y]} over time`,
      series,
      ratio: 0.8,
      x: { label: "time" },
      y: { label: scene.channels[y], domain: truthDomain(series, "y") },
    };
  });
  watch(() => {
    note.textContent = here() ? `Sample ${here().sample}; ${sceneWords(here())} ${here().note}` : "";
    note.hidden = !note.textContent;
    across.node.hidden = up.node.hidden = !here();
  });
  return showWhen(
    () => Boolean(here()),
    section(
      "portrait",
      "Phase portrait",
      "The thick line is the truth. A good forecast stays on it; a slow drift shows as a spiral.",
      el("div", { class: "bar quiet" }, across.node, up.node),
      note,
      el("div", { class: "charts" }, plane, curves),
    ),
  );
}

function projectionSection() {
  if (!(report.scenes || []).length) return null;
  const figure = chart(() => {
    const scene = sceneOf(state.data, state.option);
    if (!scene) return null;
    const of = (key, points) => ({
      key,
      colour: colourOf(key),
      width: key === "truth" ? 6 : 1.6,
      points: points.map(([x, y], i) => ({ x, y, tip: `${key}, t = ${show(scene.times[i])}` })),
    });
    const start = (one) => ({
      ...one,
      quiet: true,
      line: false,
      marks: true,
      size: 4.5,
      points: one.points.slice(0, 1),
    });
    const lines = (scene.truth ? [of("truth", scene.truth.projection)] : []).concat(
      scene.methods.map((one) => of(one.method, one.projection)),
    );
    const [first, second] = scene.explained.map((share) => `${show(100 * share, 2)} %`);
    return {
      series: lines.concat(lines.slice(0, 1).map(start)),
      ratio: 0.6,
      x: { label: `first component, ${first} of the variance`, domain: truthDomain(lines, "x") },
      y: { label: `second component, ${second}`, domain: truthDomain(lines, "y") },
      note: scene.note,
    };
  });
  return showWhen(
    () => Boolean(sceneOf(state.data, state.option)),
    section(
      "projection",
      "Trajectory in two dimensions",
      "Each state, however large, as one point: its first two principal components, fitted to the truth. The dot is the start. Methods that follow the thick line follow the dynamics.",
      figure,
    ),
  );
}
