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

const overview = [accuracySection(), resultsSection()].filter(Boolean);
const closer = [
  timeSection(),
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
    el("a", { href: `#${part.id}` }, part.querySelector("h2").textContent),
  ),
);

document
  .getElementById("page")
  .append(
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
    el("footer", {}, `Made by ${report.made_by}. One file, no network: it can be mailed and kept.`),
  );
