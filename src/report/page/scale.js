// From numbers to pixels, linear or logarithmic, with round ticks.
function niceStep(span, count) {
  const rough = span / count,
    power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

function linearTicks(low, high, count) {
  const step = niceStep(high - low, count),
    ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step) {
    ticks.push(Math.abs(tick) < step * 1e-9 ? 0 : Number(tick.toPrecision(12)));
  }
  return ticks;
}

/// Powers of ten with as many steps between as have room: no two ticks closer than half of an even spacing.
function logTicks(low, high, count) {
  const first = Math.floor(Math.log10(low)),
    last = Math.ceil(Math.log10(high)),
    room = (0.5 * Math.log(high / low)) / count;
  const within = (ticks) => ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  const fits = (ticks) =>
    ticks.length >= 2 && ticks.every((tick, i) => i === 0 || Math.log(tick / ticks[i - 1]) >= room);
  const powers = [];
  for (let power = first; power <= last; ++power) powers.push(power);
  for (const factors of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]) {
    const ticks = within(
      powers.flatMap((power) => factors.map((f) => Number((f * 10 ** power).toPrecision(6)))),
    );
    if (fits(ticks)) return ticks;
  }
  const stride = Math.ceil((last - first) / count);
  const sparse = within(powers.filter((power) => (power - first) % stride === 0).map((power) => 10 ** power));
  return sparse.length >= 2 ? sparse : linearTicks(low, high, Math.min(count, 4));
}

/// The range of the values with some air around it.
function domainOf(values, log) {
  const good = values.filter((v) => isNumber(v) && (!log || v > 0));
  if (!good.length) return log ? [0.1, 10] : [0, 1];
  let low = Infinity,
    high = -Infinity;
  for (const v of good) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  if (log) {
    const air = Math.max((high / low) ** 0.07, 1.08);
    return high / low < 1.5 ? [low / 1.6, high * 1.6] : [low / air, high * air];
  }
  const air = high > low ? 0.05 * (high - low) : Math.abs(high) * 0.1 || 1;
  return [low - air, high + air];
}

function makeScale([low, high], [from, to], log, count) {
  const place = log ? Math.log : (v) => v;
  const factor = (to - from) / (place(high) - place(low));
  const scale = (value) =>
    from + (place(Math.max(value, log ? low * 1e-6 : -Infinity)) - place(low)) * factor;
  scale.ticks = log ? logTicks(low, high, count) : linearTicks(low, high, count);
  scale.domain = [low, high];
  return scale;
}
