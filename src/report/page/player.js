// Play, pause, scrub: a clock over the frames of a scene.
//
// player(draw): `show(times)` sets the frames; draw(frame) is called for each one shown. Space plays and pauses,
// the arrow keys step.
function player(draw) {
  let times = [],
    frame = 0,
    running = 0,
    last = 0,
    spent = 0;
  const button = el("button", { type: "button", class: "play", "aria-label": "play" }, "▶");
  const slider = el("input", { type: "range", min: 0, value: 0, step: 1, "aria-label": "frame" });
  const clock = el("output", { class: "clock" });
  const speed = el(
    "select",
    { "aria-label": "speed" },
    ["½×", "1×", "2×"].map((word) => el("option", { selected: word === "1×" }, word)),
  );
  const rate = () => [0.5, 1, 2][speed.selectedIndex];

  const go = (to) => {
    frame = Math.max(0, Math.min(times.length - 1, to));
    slider.value = frame;
    clock.textContent = `t = ${show(times[frame])}`;
    slider.setAttribute("aria-valuetext", clock.textContent);
    draw(frame);
  };
  const pause = () => {
    cancelAnimationFrame(running);
    running = 0;
    button.textContent = "▶";
    button.setAttribute("aria-label", "play");
  };
  // The whole film takes about six seconds at normal speed, whatever its number of frames.
  const tick = (now) => {
    spent += (now - last) * rate();
    last = now;
    const each = Math.max(30, 6000 / Math.max(1, times.length));
    const steps = Math.floor(spent / each);
    spent -= steps * each;
    if (steps > 0) go(frame + steps);
    if (frame >= times.length - 1) return pause();
    running = requestAnimationFrame(tick);
  };
  const play = () => {
    if (frame >= times.length - 1) go(0);
    last = performance.now();
    spent = 0;
    button.textContent = "❚❚";
    button.setAttribute("aria-label", "pause");
    running = requestAnimationFrame(tick);
  };
  const flip = () => (running ? pause() : play());
  button.onclick = flip;
  slider.oninput = () => {
    pause();
    go(Number(slider.value));
  };
  slider.onkeydown = (event) => {
    if (event.key === " ") {
      event.preventDefault();
      flip();
    }
  };
  return {
    node: el(
      "div",
      { class: "player", role: "group", "aria-label": "animation" },
      button,
      slider,
      clock,
      speed,
    ),
    show(newTimes) {
      pause();
      times = newTimes;
      slider.max = times.length - 1;
      go(Math.min(frame, times.length - 1));
    },
    redraw: () => times.length && draw(frame),
  };
}
