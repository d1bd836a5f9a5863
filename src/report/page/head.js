// The first line of the page where the model is of no use as it is.
function warningLine() {
  return report.warning
    ? el("p", { class: "warn", role: "alert" }, el("strong", {}, "Warning: "), report.warning)
    : null;
}

// The head of the page: what was studied, and how much of it.
function header() {
  const failed = report.cells.filter((cell) => cell.failed);
  const seeds = unique(report.cells.map((cell) => cell.seed)).length;
  const facts =
    report.kind === "run"
      ? [`seed ${report.cells[0].seed}`]
      : [
          plural(names.data.length, "data set"),
          severalOptions ? plural(names.option.length, "option") : null,
          plural(names.method.length, "method"),
          plural(seeds, "seed"),
          plural(report.cells.length, "run"),
          failed.length ? `${failed.length} failed` : null,
        ];
  return el(
    "header",
    { class: "head" },
    el(
      "div",
      { class: "eyebrow" },
      el("span", {}, report.kind === "run" ? "cvf run" : "cvf study"),
      themeButton(),
    ),
    el("h1", {}, report.title),
    report.question ? el("p", { class: "question" }, report.question) : null,
    el(
      "ul",
      { class: "facts" },
      facts.filter(Boolean).map((fact) => el("li", {}, fact)),
    ),
  );
}
