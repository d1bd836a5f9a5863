// What the nearest point of a chart is, said beside it.
function tooltipFor(place) {
  const tip = el("div", { class: "tip", role: "status", hidden: true });
  const find = (event) => {
    const picture = place.querySelector("svg"),
      box = picture.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    let best = null,
      least = 32 ** 2;
    for (const hit of picture.hits) {
      const distance = (hit.x - at.x) ** 2 + (hit.y - at.y) ** 2;
      if (distance < least) {
        least = distance;
        best = hit;
      }
    }
    const halo = picture.querySelector(".halo");
    halo.setAttribute("visibility", best ? "visible" : "hidden");
    tip.hidden = !best;
    if (!best) return;
    halo.setAttribute("cx", best.x);
    halo.setAttribute("cy", best.y);
    tip.textContent = best.tip;
    tip.style.left = `${Math.max(0, Math.min(best.x + 12, box.width - tip.offsetWidth - 2))}px`;
    tip.style.top = `${best.y > tip.offsetHeight + 16 ? best.y - tip.offsetHeight - 12 : best.y + 14}px`;
  };
  place.onpointermove = find;
  place.onpointerdown = find;
  place.onpointerleave = () => {
    tip.hidden = true;
    place.querySelector(".halo")?.setAttribute("visibility", "hidden");
  };
  return tip;
}
