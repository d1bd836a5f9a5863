// A table whose columns sort: once upwards, twice downwards. It follows the selection of the page.
//
// columns: [{ name, hint, of: row -> number | text, text: row -> shown, numeric, colour: row -> CSS }]
// rows: a function
function sortable(caption, columns, rows) {
  let by = -1,
    down = false;
  const body = el("tbody");
  const heads = columns.map((column, index) =>
    el(
      "th",
      { scope: "col", class: column.numeric ? "number" : "" },
      el(
        "button",
        { type: "button", title: column.hint || `sort by ${column.name}`, onclick: () => sort(index) },
        symbol(column.name),
      ),
    ),
  );
  const fillBody = () => {
    const sorted =
      by < 0 ? rows() : [...rows()].sort((a, b) => compare(columns[by].of(a), columns[by].of(b), down));
    body.replaceChildren(
      ...sorted.map((row) =>
        el(
          "tr",
          {},
          columns.map((column) =>
            el(
              "td",
              { class: column.numeric ? "number" : "", "data-value": column.of(row) },
              swatchFor(column, row),
              column.text ? column.text(row) : String(column.of(row)),
            ),
          ),
        ),
      ),
    );
    heads.forEach((head, index) =>
      head.setAttribute("aria-sort", index === by ? (down ? "descending" : "ascending") : "none"),
    );
  };
  const sort = (index) => {
    down = index === by ? !down : false;
    by = index;
    fillBody();
  };
  watch(fillBody);
  return el(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body),
  );
}

/// "L_t" with the part behind the line lowered.
const symbol = (name) => {
  const [letter, below] = name.split("_");
  return below && letter.length === 1 ? [letter, el("sub", {}, below)] : name;
};

const swatchFor = (column, row) =>
  column.colour ? el("span", { class: "swatch", style: `background:${column.colour(row)}` }) : null;

/// Numbers by size, texts by letters, what is missing last whatever the direction.
function compare(a, b, down) {
  const missing = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
  return down ? -order : order;
}

/// Lines of comma-separated cells, quoted where they need to be.
function parseCsv(text) {
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i],
      row = rows[rows.length - 1];
    if (quoted && c === '"' && text[i + 1] === '"') {
      row[row.length - 1] += c;
      ++i;
    } else if (c === '"') quoted = !quoted;
    else if (c === "," && !quoted) row.push("");
    else if (c === "\n" && !quoted) rows.push([""]);
    else if (c !== "\r") row[row.length - 1] += c;
  }
  return rows.filter((row) => row.length > 1 || row[0] !== "");
}
