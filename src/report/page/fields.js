// Fields as pictures: bytes of the document through a table of colours onto a canvas.
const decoded = new Map();
function bytesOf(text) {
  if (!decoded.has(text))
    decoded.set(
      text,
      Uint8Array.from(atob(text), (c) => c.charCodeAt(0)),
    );
  return decoded.get(text);
}

const missingByte = 255,
  topByte = 254;

/// One channel of one frame of base64 [frame][channel][y][x].
function frameOf(scene, text, frame, channel) {
  const [ny, nx] = scene.grid,
    size = ny * nx;
  const from = (frame * scene.channels.length + channel) * size;
  return bytesOf(text).subarray(from, from + size);
}

/// y grows upwards in physics and downwards in pictures. Where there is no number, the background shows.
function paint(canvas, cells, ny, nx, palette) {
  const colours = bytesOf(report.palettes[palette]);
  canvas.width = nx;
  canvas.height = ny;
  const context = canvas.getContext("2d"),
    image = context.createImageData(nx, ny);
  for (let y = 0; y < ny; ++y) {
    for (let x = 0; x < nx; ++x) {
      const value = cells[y * nx + x],
        to = 4 * ((ny - 1 - y) * nx + x);
      if (value === missingByte) continue;
      const colour = 3 * Math.round((value * 255) / topByte);
      image.data[to] = colours[colour];
      image.data[to + 1] = colours[colour + 1];
      image.data[to + 2] = colours[colour + 2];
      image.data[to + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
}

/// All frames of a field on a line: x to the right, time upwards.
function spaceTime(scene, text, channel) {
  const frames = scene.times.length,
    nx = scene.grid[1],
    all = new Uint8Array(frames * nx);
  for (let frame = 0; frame < frames; ++frame) all.set(frameOf(scene, text, frame, channel), frame * nx);
  return { cells: all, ny: frames, nx };
}

const isField = (scene) => scene.grid[0] * scene.grid[1] > 1;
const isLine = (scene) => isField(scene) && scene.grid[0] === 1;

function picture(label) {
  return el("canvas", { class: "field", role: "img", "aria-label": label, width: 1, height: 1 });
}

function colourBar(low, high, palette, label) {
  const canvas = el("canvas", { class: "ramp", "aria-hidden": "true" });
  paint(
    canvas,
    Uint8Array.from({ length: 128 }, (_, i) => Math.round((i * topByte) / 127)),
    1,
    128,
    palette,
  );
  return el(
    "div",
    { class: "colours" },
    el("span", {}, label),
    el("span", {}, show(low)),
    canvas,
    el("span", {}, show(high)),
  );
}
