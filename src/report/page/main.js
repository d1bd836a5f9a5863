// The page from top to bottom.
function failures() {
  const failed = report.cells.filter((cell) => cell.failed);
  if (!failed.length) return null;
  return el(
    "details",
    { class: "warn" },
    el("summary", {}, `${plural(failed.length, "run")} failed`),
    el(
      "ul",
      {},
      failed.map((cell) =>
        el(
          "li",
          {},
          `${cell.data}, ${labelOf(cell.option)} ${cell.method}, seed ${cell.seed}: ${cell.sentence || "no reason was noted"}`,
        ),
      ),
    ),
  );
}

function notes() {
  if (!report.notes?.length) return null;
  return el(
    "details",
    { class: "warn" },
    el("summary", {}, `What is missing (${report.notes.length})`),
    el(
      "ul",
      {},
      report.notes.map((note) => el("li", {}, note)),
    ),
  );
}

function footerWords() {
  const { dates = [], machines = [] } = report.evaluated_on || {};
  const when = dates.length > 1 ? `${dates[0]} to ${dates[dates.length - 1]}` : dates[0];
  return [
    when || machines.length
      ? `Evaluated ${[when ? `on ${when}` : "", machines.length ? `with ${machines.join("; ")}` : ""].filter(Boolean).join(", ")}.`
      : null,
    `Made by ${report.made_by} on ${report.made_on?.date}, with ${report.made_on?.machine}. One file, no network: it can be mailed and kept.`,
  ].filter(Boolean);
}

const overview = [accuracySection(), resultsSection(), methodsSection()].filter(Boolean);
const closer = [
  timeSection(),
  channelsSection(),
  trainingSection(),
  framesSection(),
  rolloutSection(),
  stepsSection(),
  portraitSection(),
  projectionSection(),
  trustSection(),
].filter(Boolean);

const contents = el(
  "nav",
  { "aria-label": "Contents" },
  [...overview, ...closer].map((part) =>
    showWhen(() => !part.hidden, el("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)),
  ),
);

document
  .getElementById("page")
  .append(
    ...[warningLine()].filter(Boolean),
    header(),
    contents,
    el(
      "main",
      {},
      failures(),
      notes(),
      overview,
      closer.length ? el("div", { class: "closer" }, closerBar(), closer) : null,
    ),
    el("footer", {}, footerWords().map((line) => el("p", {}, line))),
  );
