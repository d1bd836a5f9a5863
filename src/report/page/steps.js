// How the solver went: step sizes, and the rupture that steered them.
function stepChart(column, label, aid) {
  return chart(() => {
    const scene = sceneOf(state.data, state.option);
    const series = (scene?.methods || [])
      .filter((one) => one.steps && one.steps[column].some(isNumber))
      .map((one) => ({
        key: one.method,
        colour: colourOf(one.method),
        width: 1.1,
        marks: one.steps.time.length <= 120,
        size: 2.4,
        points: one.steps.time.map((time, i) => ({
          x: time,
          y: one.steps[column][i],
          tip: `${one.method}, t = ${show(time)}\n${label} ${show(one.steps[column][i])}`,
        })),
      }));
    if (!series.length) return null;
    return {
      title: label,
      series,
      ratio: 0.5,
      x: { label: "time" },
      y: { label, log: true },
      note: aid(scene),
    };
  });
}

const countsOf = (scene) =>
  `Accepted steps: ${scene.methods
    .filter((one) => one.steps)
    .map((one) => `${one.method} ${one.steps.count}`)
    .join(", ")}.`;

function stepsSection() {
  if (!(report.scenes || []).some((scene) => scene.methods.some((one) => one.steps))) return null;
  return showWhen(
    () => sceneOf(state.data, state.option)?.methods.some((one) => one.steps),
    section(
      "steps",
      "Steps and rupture along the trajectory",
      "Long steps are cheap, a small rupture (NRE) means that one step and two half steps agree. The greedy solver (gcs) shortens its steps where the rupture grows; after euler it was measured in one more pass. Other solvers show steps only.",
      el(
        "div",
        { class: "charts" },
        stepChart("step", "Step size", countsOf),
        stepChart("nre", "Rupture (NRE)", () => ""),
      ),
    ),
  );
}
