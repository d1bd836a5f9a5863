// What the names mean: the idea behind each method, and what the settings of their runs say differently.
const glossary = {
  cvf: "mean velocities over steps of any length, learned from secants of the data; one long step must agree with two short ones",
  sm: "secant matching: the mean velocity between neighbouring frames, taken as a slope",
  tm: "tangent matching: the velocity of a spline through the frames",
  cfm: "flow matching: the secant, at every point of the straight line between frames",
  node: "neural ODE: a tangent field, trained through its solver to hit the next frame",
  pushforward: "the secant, also from states that the field itself has reached",
  osg: "displacements over two independent steps that agree with the one over their sum (Deep-OSG)",
};

const baselineWords = {
  persistence: "no model: the state stays as it was",
  mean_state: "no model: the mean state of the training data at all times",
};

function glossaryLine({ name, objective, set }) {
  const solvers = unique(
    cellsOf({ method: name })
      .flatMap((cell) => Object.values(cell.evaluations))
      .map((one) => one.solver)
      .filter(Boolean),
  );
  const words = [
    glossary[objective] || (objective ? `the objective ${objective}` : null),
    solvers.length ? `stepped with ${solvers.join(", ")}` : null,
    set ? `set by the study: ${set}` : null,
  ].filter(Boolean);
  return words.length ? [name, `${words.join("; ")}.`] : null;
}

function settingsTable() {
  const place = el("div", {});
  watch(() => {
    const here = (report.differences || []).find((one) => matches(one, { data: state.data, option: state.option }));
    place.hidden = !here;
    if (!here) return;
    const methods = Object.keys(here.values);
    const caption = `Settings that differ between methods, ${[state.data, labelOf(state.option)].filter(Boolean).join(", ")}`;
    place.replaceChildren(
      el(
        "details",
        {},
        el("summary", {}, caption),
        el(
          "div",
          { class: "table", tabindex: "0", role: "region", "aria-label": caption },
          el(
            "table",
            {},
            el("caption", {}, caption),
            el("thead", {}, el("tr", {}, ["setting", ...methods].map((word) => el("th", { scope: "col" }, word)))),
            el(
              "tbody",
              {},
              here.keys.map((key, i) =>
                el("tr", {}, el("td", {}, key), methods.map((method) => el("td", {}, here.values[method][i] || "–"))),
              ),
            ),
          ),
        ),
      ),
    );
  });
  return place;
}

function methodsSection() {
  const lines = (report.methods || []).map(glossaryLine).filter(Boolean);
  for (const name of baselineNames()) lines.push([baselineTitle(name), `${baselineWords[name] || baselineAbout(name)}.`]);
  if (!lines.length) return null;
  return section(
    "methods",
    "Methods",
    "",
    el(
      "dl",
      { class: "glossary" },
      lines.map(([name, words]) => [
        el("dt", {}, el("span", { class: "swatch", style: `background:${colourOf(name)}` }), name),
        el("dd", {}, words),
      ]),
    ),
    settingsTable(),
  );
}
