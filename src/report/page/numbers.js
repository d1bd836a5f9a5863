// Numbers as people read them, and the little statistics that a page needs.
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

const superscript = (exponent) =>
  String(exponent).replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"["0123456789".indexOf(c)] || "⁻");

/// Three significant digits: 0.0123, 4.57, 1 230, 1.2×10⁻⁵; "–" where there is no number.
function show(value, digits = 3) {
  if (!isNumber(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    const short = mantissa.replace(/\.?0+$/, "");
    const power = `10${superscript(Number(exponent))}`;
    return short === "1" ? power : `${short}×${power}`.replace("-", "−");
  }
  const rounded = Number(value.toPrecision(digits));
  const text = size >= 1000 ? Math.round(value).toLocaleString("en").replaceAll(",", " ") : String(rounded);
  return text.replace("-", "−");
}

const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;

/// Of a sample: over n - 1; 0 for a single value.
function deviation(values) {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, v) => sum + (v - middle) ** 2, 0) / (values.length - 1));
}

/// Both with as many decimals as two digits of the deviation need: 0.0071 ± 0.0004, (1.20 ± 0.05)×10⁻⁵.
function plusMinus({ mean: middle, deviation: spread, count }) {
  if (!isNumber(middle)) return "–";
  if (count < 2 || !(spread > 0) || middle === 0) return show(middle);
  const exponent = Math.floor(Math.log10(Math.abs(middle)));
  const power = exponent < -3 || exponent > 5 ? exponent : 0;
  const [a, b] = [middle, spread].map((value) => value / 10 ** power);
  const decimals = Math.max(0, Math.min(1 - Math.floor(Math.log10(b)), 3 - exponent + power));
  const text = `${a.toFixed(decimals)} ± ${b.toFixed(decimals)}`.replace("-", "−");
  return power ? `(${text})×10${superscript(power)}` : text;
}

const unique = (values) => [...new Set(values)];
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
