"use strict";
let data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const state = { level: data.start, topic: null, from: 0, to: data.time.starts.length };
// Okabe and Ito's colours, told apart by the colour-blind, then stronger and softer ones of them.
const HUES = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A800", "#7F7F7F"];
const SHADES = ["var(--text)", "var(--soft)"];
const colour = k => k < HUES.length ? HUES[k] : `color-mix(in srgb, ${HUES[k % 8]} 60%, ${SHADES[((k >> 3) - 1) % 2]})`;
const percent = x => (100 * x).toFixed(x < 0.0995 ? 1 : 0) + " %";
const level = () => data.levels[state.level];
const name = t => t.name || t.words.slice(0, 3).join(" ");

function el(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "rect", "line", "text", "circle", "g"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") node.style.cssText = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}
function tip(text, x, y) {
  const box = $("tip");
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  box.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.offsetWidth - 8)) + "px";
  box.style.top = Math.max(4, Math.min(y + 12, innerHeight - box.offsetHeight - 8)) + "px";
}
// What pointer and keyboard do alike: say what a mark is, and choose its topic.
function tells(node, text, choose) {
  const say = event => {
    const box = node.getBoundingClientRect();
    tip(typeof text === "function" ? text(event) : text, event.clientX ?? box.left, event.clientY ?? box.top);
  };
  node.setAttribute("tabindex", "0");
  node.setAttribute("role", choose ? "button" : "img");
  node.setAttribute("aria-label", typeof text === "function" ? text({}) : text);
  for (const kind of ["pointermove", "focus"]) node.addEventListener(kind, say);
  for (const kind of ["pointerleave", "blur"]) node.addEventListener(kind, () => tip());
  if (choose) {
    node.addEventListener("click", choose);
    node.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
  }
  return node;
}
const ruler = document.createElement("canvas").getContext("2d");
function widthOf(text) {
  ruler.font = "12px " + getComputedStyle(document.body).fontFamily;
  return ruler.measureText(text).width;
}
function table(id, head, rows) {
  const open = $(id).querySelector("details")?.open;
  const body = el("table", {}, el("tr", {}, ...head.map(h => el("th", {}, h))),
    ...rows.map(row => el("tr", {}, ...row.map(cell => el("td", {}, String(cell))))));
  const details = el("details", {}, el("summary", {}, "Table"), el("div", { class: "scroll", tabindex: "0" }, body));
  if (open) details.open = true;
  $(id).replaceChildren(details);
}
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
function when(position, fine) {
  if (!data.time.by_time) return "document " + Math.round(position).toLocaleString("en");
  const d = new Date(position * 1000), two = n => String(n).padStart(2, "0");
  const date = `${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]} ${d.getUTCFullYear()}`;
  return data.time.width >= 86400 && !fine ? date : `${date} ${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
}
function choose(k) {
  state.topic = state.topic === k ? null : k;
  draw();
}
const errorOf = (p, i) => { const n = Math.max(1, data.time.n_sampled[i]), q = (p * n + .5) / (n + 1); return Math.sqrt(q * (1 - q) / n); };

function drawTopics() {
  const list = level().topics.map((t, k) => {
    const n = data.time.starts.length, W = 220, H = 26, top = Math.max(...level().shares.filter((_, i) => !isThin(i)).map(row => row[k]), 1e-9);
    const card = el("button", { class: "card", type: "button", "aria-pressed": state.topic === k, style: `--colour:${colour(k)}`, onclick: () => choose(k) },
      el("b", {}, el("span", {}, `${k + 1}  ${t.name}`), el("span", {}, percent(t.weight))), el("span", { class: "words" }, t.words.join(" ")));
    if (n > 1) {
      const points = level().shares.map((row, i) => `${(i / (n - 1) * W).toFixed(1)},${(H - Math.min(1, (isThin(i) ? t.weight : row[k]) / top) * H).toFixed(1)}`);
      card.append(el("svg", { viewBox: `0 0 ${W} ${H}`, width: "100%", height: H, preserveAspectRatio: "none", "aria-hidden": "true" },
        el("path", { d: `M0,${H}L${points.join("L")}L${W},${H}Z`, style: `fill:${colour(k)}`, opacity: .35 }),
        el("path", { d: `M${points.join("L")}`, style: `stroke:${colour(k)};fill:none`, "stroke-width": 1.5, "vector-effect": "non-scaling-stroke" })));
    }
    return card;
  });
  $("topics").replaceChildren(...list);
}
const edgeOf = i => when(data.time.starts[Math.min(i, data.time.starts.length - 1)] + (i >= data.time.starts.length ? data.time.width : 0));
function ticks(svg, x, from, to, H, label) {
  const width = x(to) - x(from), count = Math.max(2, Math.min(8, Math.floor(width / 160)));
  let free = -Infinity; // where the next label may begin; the last one is drawn in any case
  const last = x(to) - widthOf(label(to)) - 12;
  for (let j = 0; j <= count; j++) {
    const i = Math.round(from + (to - from) * j / count), text = label(i), half = widthOf(text) / 2;
    svg.append(el("line", { class: "axis", x1: x(i), x2: x(i), y1: H, y2: H + 5 }));
    const left = j === 0 ? x(i) : j === count ? x(i) - 2 * half : x(i) - half;
    if (left < free || j > 0 && j < count && left + 2 * half > last) continue;
    free = left + 2 * half + 12;
    svg.append(el("text", { class: "soft", x: left, y: H + 18 }, text));
  }
}
// stretches of few documents tell little, and some time may have none at all
const isThin = i => data.time.n_sampled[i] < 20 && data.time.n_sampled.some(n => n >= 20);
const isGap = i => data.time.starts[i] - data.time.starts[i - 1] > 1.5 * data.time.width;
function drawTime() {
  const W = Math.max(320, $("time").clientWidth), H = W < 600 ? 220 : 320, { from, to } = state, n = to - from;
  const x = i => (i - from) / n * (W - 42) + 40, y = v => 8 + (1 - v) * (H - 8);
  const svg = el("svg", { viewBox: `0 0 ${W} ${H + 24}`, role: "group", "aria-label": "Shares of topics over time, stacked" });
  for (const v of [0, .25, .5, .75, 1]) svg.append(el("text", { class: "soft", x: 34, y: y(v) + 4, "text-anchor": "end" }, 100 * v + " %"));
  const base = Array(n).fill(0);
  const stretchAt = event => event.clientX === undefined ? null : Math.max(from, Math.min(to - 1, from + Math.floor((event.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width * W - 40 < 0 ? 0 : ((event.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width * W - 40) / (W - 42) * n)));
  level().topics.forEach((t, k) => {
    const upper = base.map((b, i) => b + level().shares[from + i][k]), edge = (values, i) => `${x(from + i).toFixed(1)},${y(values[i]).toFixed(1)}L${x(from + i + 1).toFixed(1)},${y(values[i]).toFixed(1)}`;
    const there = upper.map((_, i) => edge(upper, i)), back = base.map((_, i) => `${x(from + i + 1).toFixed(1)},${y(base[i]).toFixed(1)}L${x(from + i).toFixed(1)},${y(base[i]).toFixed(1)}`).reverse();
    const path = el("path", { d: `M${there.join("L")}L${back.join("L")}Z`, style: `fill:${colour(k)};stroke:var(--back)`, "stroke-width": .8 });
    if (state.topic !== null && state.topic !== k) path.classList.add("faint");
    svg.append(tells(path, event => {
      const i = stretchAt(event);
      if (i === null) return `Topic ${k + 1}, ${name(t)}: ${percent(t.weight)} of all documents`;
      const p = level().shares[i][k];
      return `${when(data.time.starts[i])}\nTopic ${k + 1}, ${name(t)}\n${percent(p)} ± ${percent(errorOf(p, i))} of ${data.time.n_docs[i].toLocaleString("en")} documents`;
    }, () => choose(k)));
    upper.forEach((v, i) => { base[i] = v; });
  });
  for (let i = from; i < to; i++) {
    if (isThin(i)) svg.append(el("rect", { x: x(i), y: 8, width: x(i + 1) - x(i), height: H - 8, fill: "var(--back)", opacity: .65, "pointer-events": "none" }));
    if (i > from && isGap(i)) svg.append(el("line", { x1: x(i), x2: x(i), y1: 2, y2: H, stroke: "currentColor", "stroke-width": 1.5, "stroke-dasharray": "3 3", "pointer-events": "none" }));
  }
  ticks(svg, x, from, to, H, edgeOf);
  // dragging across zooms in
  let start = null;
  const brush = el("rect", { y: 8, height: H - 8, fill: "currentColor", opacity: .2, "pointer-events": "none", visibility: "hidden" });
  svg.append(brush);
  svg.addEventListener("pointerdown", event => { start = stretchAt(event); });
  svg.addEventListener("pointermove", event => {
    if (start === null) return;
    const here = stretchAt(event), low = Math.min(start, here), high = Math.max(start, here) + 1;
    brush.setAttribute("x", x(low)); brush.setAttribute("width", x(high) - x(low)); brush.setAttribute("visibility", start === here ? "hidden" : "visible");
  });
  svg.addEventListener("pointerup", event => {
    const here = stretchAt(event), low = Math.min(start ?? here, here), high = Math.max(start ?? here, here) + 1;
    const dragged = start !== null && here !== start;
    start = null;
    if (dragged) zoom(low, high);
  });
  svg.addEventListener("pointerleave", () => { start = null; brush.setAttribute("visibility", "hidden"); });
  $("time").replaceChildren(svg);
  table("time-table", ["from", "documents", ...level().topics.map((t, k) => brief(`${k + 1} ${name(t)}`, 40))],
    level().shares.slice(from, to).map((row, i) => [when(data.time.starts[from + i]), data.time.n_docs[from + i], ...row.map(percent)]));
}
function zoom(from, to) {
  state.from = from; state.to = to;
  $("from").value = from; $("to").value = to;
  draw();
}
function drawDocuments() {
  if (!data.documents.length) { $("documents-note").textContent = "No texts are kept in this page."; return; }
  const at = state.level, all = state.from === 0 && state.to === data.time.starts.length;
  const inside = data.documents.filter(d => d.stretch >= state.from && d.stretch < state.to && (state.topic === null || d.groups[at] === state.topic));
  const sorted = inside.sort((a, b) => b.scores[at] - a.scores[at]), seen = {}, shown = [];
  for (const d of sorted) {
    seen[d.groups[at]] = (seen[d.groups[at]] ?? 0) + 1;
    if (seen[d.groups[at]] <= (state.topic === null ? 1 : 12)) shown.push(d);
  }
  if (state.topic === null) shown.sort((a, b) => a.groups[at] - b.groups[at]);
  const span = all ? "of the whole time" : `from ${when(data.time.starts[state.from])} on, ${state.to - state.from} of ${data.time.starts.length} stretches`;
  $("documents-note").textContent = state.topic === null ? `The most typical document of each topic, ${span}.` : `Typical of topic ${state.topic + 1}, ${name(level().topics[state.topic])}, ${span}.`;
  $("documents").replaceChildren(...shown.map(d => el("blockquote", { style: `--colour:${colour(d.groups[at])}` }, d.text,
    el("small", {}, `topic ${d.groups[at] + 1}, ${name(level().topics[d.groups[at]])} · ${when(d.position, true)}`))));
}
// Cut at a word; where the first words are too long for that, anywhere.
function brief(text, n) {
  if (text.length <= n) return text;
  const whole = text.slice(0, n).replace(/\s\S*$/, "");
  return whole.length < n / 2 ? text.slice(0, n - 1) + "…" : whole + " …";
}
// Circles that overlap are pushed apart, a little at a time: of many topics most are near the middle.
function spread(marks, W, H) {
  for (let round = 0; round < 200; round++) {
    let moved = false;
    for (const a of marks) for (const b of marks) {
      if (a.k >= b.k) continue;
      const dx = b.cx - a.cx, dy = b.cy - a.cy || .01, far = Math.hypot(dx, dy), push = (a.r + b.r + 2 - far) / 2;
      if (push <= 0) continue;
      moved = true;
      a.cx -= dx / far * push; a.cy -= dy / far * push; b.cx += dx / far * push; b.cy += dy / far * push;
    }
    for (const a of marks) { a.cx = Math.max(a.r + 2, Math.min(W - a.r - 2, a.cx)); a.cy = Math.max(a.r + 14, Math.min(H - a.r - 14, a.cy)); }
    if (!moved) return;
  }
}
// A place for a label: beside its circle, in the picture, over no other label and no other circle; else none.
function placeLabel(mark, text, marks, placed, W, H) {
  const w = widthOf(text), { cx, cy, r } = mark;
  const inside = [[cx - w / 2, cy + 4]].filter(() => w < 2 * r);
  const around = [[cx - w / 2, cy - r - 4], [cx - w / 2, cy + r + 12], [cx + r + 3, cy + 4], [cx - r - 3 - w, cy + 4], [cx + r * .7, cy - r * .7 - 3], [cx - r * .7 - w, cy - r * .7 - 3], [cx + r * .7, cy + r * .7 + 12], [cx - r * .7 - w, cy + r * .7 + 12]];
  const free = ([left, y]) => left >= 0 && left + w <= W && y >= 11 && y <= H - 3
    && placed.every(p => p.left > left + w + 3 || p.left + p.w + 3 < left || Math.abs(p.y - y) > 13)
    && marks.every(o => o === mark || Math.hypot(o.cx - Math.max(left, Math.min(left + w, o.cx)), o.cy - Math.max(y - 10, Math.min(y + 2, o.cy))) > o.r + 1);
  const found = [...inside, ...around].find(free);
  return found && { left: found[0], y: found[1], w };
}
function drawMap() {
  const topics = level().topics, W = Math.max(320, $("map").clientWidth), H = topics.length > 16 ? Math.min(680, W * 1.1) : Math.min(440, W * .75);
  const xs = data.levels.flatMap(l => l.topics.map(t => t.x)), ys = data.levels.flatMap(l => l.topics.map(t => t.y));
  const scale = (v, all, low, high) => { const a = Math.min(...all), b = Math.max(...all); return b > a ? low + (v - a) / (b - a) * (high - low) : (low + high) / 2; };
  const svg = el("svg", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": "Map of topics" });
  const radius = t => Math.max(4, Math.sqrt(t.weight) * Math.min(W, H) * .2), pad = Math.max(...topics.map(radius)) + 14;
  const marks = topics.map((t, k) => ({ k, r: radius(t), cx: scale(t.x, xs, pad, W - pad), cy: scale(t.y, ys, pad, H - pad) }));
  spread(marks, W, H);
  marks.sort((a, b) => b.r - a.r);
  for (const { k, r, cx, cy } of marks) {
    const t = topics[k], circle = el("circle", { cx, cy, r, style: `fill:${colour(k)};stroke:var(--back)`, "fill-opacity": .75 });
    if (state.topic !== null && state.topic !== k) circle.classList.add("faint");
    svg.append(tells(circle, `Topic ${k + 1}, ${name(t)}: ${percent(t.weight)}`, () => choose(k)));
  }
  const placed = [];
  for (const mark of marks) {
    const said = `${mark.k + 1} ${name(topics[mark.k])}`, texts = [brief(said, W < 500 ? 18 : 30), brief(said, 16), `${mark.k + 1}`];
    for (const text of texts) {
      const found = placeLabel(mark, text, marks, placed, W, H);
      if (!found) continue;
      placed.push(found);
      svg.append(el("text", { x: found.left, y: found.y, "pointer-events": "none", style: "paint-order:stroke;stroke:var(--back);stroke-width:3px" }, text));
      break;
    }
  }
  $("map").replaceChildren(svg);
  table("map-table", ["topic", "words", "share", "x", "y"], topics.map((t, k) => [k + 1, brief(t.words.slice(0, 5).join(" "), 80), percent(t.weight), t.x.toFixed(3), t.y.toFixed(3)]));
}
function drawTree() {
  const { leaves, merges, n_leaves } = data.tree, W = Math.max(320, $("tree").clientWidth), row = 18, H = n_leaves * row + 24;
  const label = Math.min(230, W * .5), most = Math.max(...merges.map(m => m.lost), 1e-9), x = v => label + v / most * (W - label - 12);
  const svg = el("svg", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": "How topics merge" }), nodes = {};
  // leaves in the order in which they stand beside each other in the tree
  const children = {};
  merges.forEach((m, i) => { children["m" + i] = [m.stays, m.joins]; });
  const place = [], walk = id => children[id] ? children[id].forEach(walk) : place.push(id);
  walk(merges.length ? "m" + (merges.length - 1) : "0");
  place.forEach((id, i) => { nodes[id] = [x(0), i * row + 12, leaves[id].groups[state.level]]; });
  for (const [id, [, py]] of Object.entries(nodes))
    svg.append(el("text", { x: label - 6, y: py + 4, "text-anchor": "end", style: "font-size:11px" }, brief(leaves[id].label, Math.floor(label / 6.2))));
  const at = data.levels[state.level].lost;
  merges.forEach((m, i) => {
    const a = nodes[m.stays], b = nodes[m.joins], px = x(m.lost), same = a[2] === b[2] && a[2] !== null;
    for (const [qx, qy, g] of [a, b]) svg.append(el("path", { d: `M${qx},${qy}H${px}`, style: `stroke:${g === null ? "var(--soft)" : colour(g)};fill:none`, "stroke-width": 2.5 }));
    svg.append(tells(el("path", { d: `M${px},${a[1]}V${b[1]}`, style: `stroke:${same ? colour(a[2]) : "var(--soft)"};fill:none`, "stroke-width": 2.5 }), `${n_leaves - i} topics become ${n_leaves - i - 1}: loses ${m.price.toFixed(3)} nats per word`));
    nodes["m" + i] = [px, (a[1] + b[1]) / 2, same ? a[2] : null];
  });
  svg.append(el("line", { x1: x(at) + 1, x2: x(at) + 1, y1: 2, y2: H - 22, stroke: "currentColor", "stroke-dasharray": "3 3" }));
  for (const v of [0, .5, 1]) svg.append(el("text", { class: "soft", x: x(v * most), y: H - 4, "text-anchor": v ? "end" : "start" }, (v * most).toFixed(2)));
  $("tree").replaceChildren(svg);
  table("tree-table", ["topics left", "price, nats per word", "lost in all"], merges.map((m, i) => [n_leaves - i - 1, m.price.toFixed(4), m.lost.toFixed(4)]));
}
// Curves over the same steps, each [values, colour, dashes, name], on one scale. The hundredth of the
// values at either end may leave it, so that one burst of copies does not flatten the rest.
function drawCurves(id, about, unit, curves, label) {
  const n = curves[0][0].length, W = Math.max(320, $(id).clientWidth), H = 160;
  const values = curves.flatMap(curve => curve[0]).sort((a, b) => a - b), rare = Math.floor(values.length / 100);
  const low = values[rare], high = values[values.length - 1 - rare], x = i => 40 + i / Math.max(1, n) * (W - 42);
  const y = v => Math.min(H, Math.max(0, 16 + (high - v) / Math.max(1e-9, high - low) * (H - 32)));
  const svg = el("svg", { viewBox: `0 0 ${W} ${H + 24}`, role: "group", "aria-label": about });
  for (const v of [low, (low + high) / 2, high]) svg.append(el("text", { class: "soft", x: 34, y: y(v) + 4, "text-anchor": "end" }, v.toFixed(1)), el("line", { class: "axis", x1: 40, x2: W, y1: y(v), y2: y(v) }));
  const upper = Math.max(...curves.map(curve => curve[0][n - 1]));
  for (const [some, stroke, dash, text] of curves) {
    const d = some.map((v, i) => `${x(i + .5).toFixed(1)},${y(v).toFixed(1)}`).join("L");
    svg.append(tells(el("path", { d: `M${d}`, style: `stroke:${stroke};fill:none`, "stroke-width": 2, "stroke-dasharray": dash }), `${text}: ${(some.reduce((a, b) => a + b, 0) / n).toFixed(2)} ${unit} on average`));
    svg.append(el("text", { x: W - 4, y: y(some[n - 1]) + (some[n - 1] < upper ? 15 : -6), "text-anchor": "end", style: "paint-order:stroke;stroke:var(--back);stroke-width:3px" }, text));
  }
  ticks(svg, x, 0, n, H, label);
  $(id).replaceChildren(svg);
}
const against = (rows, plain) => [[plain, "var(--soft)", "4 3", "word frequencies"], [rows, "var(--mark)", "", "topics"]];
function drawFit() {
  const rows = level().fit, plain = data.fit;
  drawCurves("fit", "Nats per word over time", "nats per word", against(rows, plain), edgeOf);
  table("fit-table", ["from", "topics", "word frequencies"], rows.map((v, i) => [when(data.time.starts[i]), v.toFixed(3), plain[i].toFixed(3)]));
}
function drawLosses() {
  const rows = data.losses, end = i => "document " + (rows[Math.min(i, rows.length) - 1]?.[0] ?? 1).toLocaleString("en");
  drawCurves("losses", "Prequential loss over the stream", "nats per word", against(rows.map(r => r[1]), rows.map(r => r[2])), end);
  table("losses-table", ["documents", "topics", "word frequencies"], rows.map(r => [r[0].toLocaleString("en"), r[1].toFixed(3), r[2].toFixed(3)]));
}
function draw() {
  const n = level().topics.length;
  if (state.topic !== null && state.topic >= n) state.topic = null;
  $("level-shown").textContent = n;
  $("level-note").textContent = n === data.n_topics ? `all ${n} that were learned` : `merged from ${data.n_topics}, which loses ${level().lost.toFixed(3)} nats per word` + (n === data.suggested ? "; suggested" : "");
  const focus = document.activeElement?.closest?.(".card") && [...$("topics").children].indexOf(document.activeElement);
  drawTopics();
  if (typeof focus === "number" && focus >= 0) $("topics").children[focus]?.focus();
  if (data.time.starts.length > 1) { drawTime(); drawFit(); }
  if (data.losses.length > 1) drawLosses();
  drawDocuments();
  drawMap();
  drawTree();
}
// What changes when there is other data; the level, the topic and the time chosen stay.
function fill() {
  const n = data.time.starts.length;
  $("summary").textContent = data.summary;
  $("made").textContent = data.made;
  $("findings-note").textContent = `Of the ${data.levels[data.start].topics.length} topics that are shown at first, by their numbers there.`;
  $("findings").replaceChildren(...data.findings.map(line => el("li", {}, line)));
  $("level").max = data.levels.length - 1;
  $("level").value = state.level;
  for (const id of ["s-time", "s-fit"]) $(id).hidden = n < 2;
  $("s-losses").hidden = data.losses.length < 2;
  for (const [id, least, most] of [["from", 0, n - 1], ["to", 1, n]]) Object.assign($(id), { min: least, max: most, step: 1, value: state[id] });
  $("time-note").textContent = `Each step is ${data.time.step}; shares are of a sample of at most ${Math.max(0, ...data.time.n_sampled)} documents each.` + (data.time.starts.some((_, i) => isThin(i)) ? " Pale steps have fewer than 20." : "") + (data.time.starts.some((_, i) => i > 0 && isGap(i)) ? " A dashed line is a time without documents, left out." : "");
  draw();
}
function renew(content) {
  const topics = level().topics.length, before = data.time.starts.length, whole = state.to - state.from === before;
  data = content;
  const n = data.time.starts.length, found = data.levels.findIndex(one => one.topics.length === topics);
  state.level = found < 0 ? data.start : found;
  if (whole || n < before) Object.assign(state, { from: 0, to: n });
  fill();
}
function begin() {
  $("level").addEventListener("input", () => { state.level = Number($("level").value); state.topic = null; draw(); });
  for (const id of ["from", "to"]) $(id).addEventListener("input", () => {
    let from = Number($("from").value), to = Number($("to").value);
    if (from >= to) id === "from" ? to = from + 1 : from = to - 1;
    zoom(from, to);
  });
  $("reset").addEventListener("click", () => zoom(0, data.time.starts.length));
  fill();
  let due;
  addEventListener("resize", () => { clearTimeout(due); due = setTimeout(draw, 100); });
  matchMedia("print").addEventListener?.("change", draw);
}
begin();
