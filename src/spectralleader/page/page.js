"use strict";
let data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const state = { level: data.start, topic: null, from: data.time.shown[0], to: data.time.shown[1] };
// Okabe and Ito's palette, safe for colour-blind readers; further topics get darker and paler shades of it.
const HUES = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A800", "#7F7F7F"];
const SHADES = ["var(--text)", "var(--soft)"];
const hue = i => i < HUES.length ? HUES[i] : `color-mix(in srgb, ${HUES[i % 8]} 60%, ${SHADES[((i >> 3) - 1) % 2]})`;
// Unused topics take no colour: the others are easier to tell apart.
const colour = k => hue(level().topics[k]?.used ? used().findIndex(one => one.k === k) : k);
const percent = x => x < .0005 ? "under 0.1\u00a0%" : (100 * x).toFixed(x < 0.0995 ? 1 : 0) + "\u00a0%";
const count = n => Math.round(n).toLocaleString("en");
const level = () => data.levels[state.level];
// The topics that documents use, with their index; unused ones appear nowhere but in a note.
const used = (topics = level().topics) => topics.map((t, k) => ({ t, k })).filter(one => one.t.used);
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
// Describe a mark to pointer and keyboard alike; choosing it is optional.
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
  const details = el("details", { class: "data" }, el("summary", {}, "Table"), el("div", { class: "scroll", tabindex: "0" }, body));
  if (open) details.open = true;
  $(id).replaceChildren(details);
}
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const isWide = () => innerWidth > 640;
function when(position, fine) {
  if (!data.time.by_time) return "document " + count(position + 1);
  const d = new Date(position * 1000), two = n => String(n).padStart(2, "0");
  const date = `${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]} ${d.getUTCFullYear()}`;
  const isDate = position % 86400 === 0 || data.time.width >= 86400 && !fine; // midnight: most likely without a time
  return isDate ? date : `${date} ${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
}
// The time of bars from i up to j, in words; ends are exclusive, and documents are whole numbers of seconds.
function span(i, j = i + 1) {
  const first = when(data.time.starts[i]), last = when(data.time.ends[j - 1] - 1);
  if (!data.time.by_time) return `documents ${first.slice(9)} to ${last.slice(9)}`;
  return first === last ? first : `${first} to ${last}`;
}
function choose(k) {
  state.topic = state.topic === k ? null : k;
  draw();
}
const errorOf = (p, i) => { const n = Math.max(1, data.time.n_sampled[i]), q = (p * n + .5) / (n + 1); return Math.sqrt(q * (1 - q) / n); };

// Bars of few documents get no shares, unless all are like that.
const isThin = i => data.time.n_sampled[i] < data.time.enough && data.time.n_sampled.some(n => n >= data.time.enough);
const scale = (a, b, low, high) => v => low + (v - a) / Math.max(b - a, 1e-9) * (high - low);
const shownBars = () => Array.from({ length: state.to - state.from }, (_, i) => state.from + i);
const shownTime = () => [data.time.starts[state.from], data.time.ends[state.to - 1]];
const middle = i => (data.time.starts[i] + data.time.ends[i]) / 2;

function drawTopics() {
  const bars = shownBars().filter(i => !isThin(i)), W = 220, H = 26, x = bars.length && scale(middle(bars[0]), middle(bars[bars.length - 1]), 0, W);
  const list = used().map(({ t, k }) => {
    const card = el("button", { class: "card", type: "button", "aria-pressed": state.topic === k, style: `--colour:${colour(k)}`, onclick: () => choose(k) },
      el("b", {}, el("span", {}, `${k + 1}  ${t.name}`), el("span", {}, percent(t.weight))), el("span", { class: "words" }, t.words.join(" ")));
    if (bars.length > 1) {
      const y = scale(0, Math.max(...bars.map(i => level().shares[i][k]), 1e-9), H, 0);
      const points = bars.map(i => `${x(middle(i)).toFixed(1)},${y(level().shares[i][k]).toFixed(1)}`);
      card.append(el("svg", { viewBox: `0 0 ${W} ${H}`, width: "100%", height: H, preserveAspectRatio: "none", "aria-hidden": "true" },
        el("path", { d: `M0,${H}L${points.join("L")}L${W},${H}Z`, style: `fill:${colour(k)}`, opacity: .35 }),
        el("path", { d: `M${points.join("L")}`, style: `stroke:${colour(k)};fill:none`, "stroke-width": 1.5, "vector-effect": "non-scaling-stroke" })));
    }
    return card;
  });
  $("topics").replaceChildren(...list);
  const n = level().topics.length;
  $("unused").textContent = list.length === n ? "" : `${list.length} of ${n} topics ${list.length === 1 ? "is" : "are"} in use: choose fewer above; if the documents have more subjects, learn more of them, or in random order.`;
}
function drawShifts() {
  const share = (text, p, n, time) => `${text} ${time} (${count(p * n)} of ${count(n)})`;
  const found = level().shifts.filter(s => level().topics[s.topic].used);
  const say = s => el("li", { style: `--colour:${colour(s.topic)}` }, el("b", {}, `${s.topic + 1} ${name(level().topics[s.topic])}`),
    `: ${share(s.shown[1], s.after, s.n_after, `since ${s.when}`)}, ${share(s.shown[0], s.before, s.n_before, "before")}.`);
  const more = some => some.length ? [el("details", {}, el("summary", { class: "note" }, `and ${some.length} more`), el("ul", {}, ...some.map(say)))] : [];
  const list = (title, some) => el("div", {}, el("h3", {}, title), some.length ? el("div", {}, el("ul", {}, ...some.slice(0, 3).map(say)), ...more(some.slice(3))) : el("p", { class: "note" }, `No topic clearly ${title.toLowerCase()}.`));
  $("shifts").replaceChildren(list("Rose", found.filter(s => s.after > s.before)), list("Fell", found.filter(s => s.after < s.before)));
}
// Positions and labels of at most `most` ticks between a and b, at round numbers or calendar dates.
const SECONDS = [1, 5, 15, 60, 300, 900, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600], IN_MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 600];
function ticksOf(a, b, most, byTime) {
  const least = (b - a) / most, found = [];
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = byTime ? SECONDS.find(s => s >= least) : power * [1, 2, 5, 10].find(m => m * power >= least);
  if (step) {
    for (let v = Math.ceil(Math.max(a, byTime ? a : 1) / step) * step; v <= b; v += step) found.push([v, byTime ? when(v, step < 86400) : "document " + count(v)]);
    return found;
  }
  const months = IN_MONTHS.find(m => m * 30 * 86400 >= least) ?? 1200, first = new Date(a * 1000);
  for (let m = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months; ; m += months) {
    const v = Date.UTC(Math.floor(m / 12), m % 12) / 1000;
    if (!(v <= b)) return found;
    if (v >= a) found.push([v, months < 12 ? `${MONTHS[m % 12]} ${Math.floor(m / 12)}` : String(Math.floor(m / 12))]);
  }
}
function axis(svg, x, a, b, H, byTime) {
  svg.append(el("line", { class: "axis", x1: x(a), x2: x(b), y1: H, y2: H }));
  let free = -Infinity; // where the next label may begin
  for (const [v, text] of ticksOf(a, b, Math.max(2, Math.floor((x(b) - x(a)) / (byTime ? 70 : 120))), byTime)) {
    const w = widthOf(text), left = Math.max(0, Math.min(x(b) - w, x(v) - w / 2));
    svg.append(el("line", { class: "axis", x1: x(v), x2: x(v), y1: H, y2: H + 5 }));
    if (left < free) continue;
    free = left + w + 12;
    svg.append(el("text", { class: "soft", x: left, y: H + 18 }, text));
  }
}
function drawTime() {
  const W = Math.max(320, $("time").clientWidth), H = W < 600 ? 220 : 320, { from, to } = state, bars = shownBars();
  const x = scale(...shownTime(), 40, W - 2), y = scale(0, 1, H, 8), left = i => x(data.time.starts[i]), right = i => Math.max(left(i) + 1.5, x(data.time.ends[i]));
  const svg = el("svg", { viewBox: `0 0 ${W} ${H + 24}`, role: "group", "aria-label": "Shares of topics over time, stacked" });
  for (const v of [0, .25, .5, .75, 1]) svg.append(el("text", { class: "soft", x: 34, y: y(v) + 4, "text-anchor": "end" }, 100 * v + " %"), el("line", { class: "axis", x1: 40, x2: W - 2, y1: y(v), y2: y(v) }));
  const barAt = event => {
    if (event.clientX === undefined) return null;
    const box = svg.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * W;
    return bars.findLast(i => left(i) <= at) ?? from;
  };
  const base = {};
  for (const { t, k } of used()) {
    const d = bars.filter(i => !isThin(i)).map(i => {
      const low = base[i] ?? 0, high = base[i] = low + level().shares[i][k];
      return `M${left(i).toFixed(1)},${y(low).toFixed(1)}V${y(high).toFixed(1)}H${right(i).toFixed(1)}V${y(low).toFixed(1)}Z`;
    });
    const path = el("path", { d: d.join(""), style: `fill:${colour(k)};stroke:var(--back)`, "stroke-width": .6 });
    if (state.topic !== null && state.topic !== k) path.classList.add("faint");
    svg.append(tells(path, event => {
      const i = barAt(event);
      if (i === null) return `Topic ${k + 1}, ${name(t)}: ${percent(t.weight)} of all documents`;
      const p = level().shares[i][k];
      return `${span(i)}\nTopic ${k + 1}, ${name(t)}\n${percent(p)} ± ${percent(errorOf(p, i))} of ${count(data.time.n_docs[i])} documents`;
    }, () => choose(k)));
  }
  for (const i of bars.filter(isThin))
    svg.append(tells(el("rect", { x: left(i), y: H - 12, width: Math.max(4, right(i) - left(i)), height: 12, class: "thin" }), `${span(i)}\n${count(data.time.n_docs[i])} document${data.time.n_docs[i] > 1 ? "s" : ""}: too few for shares`));
  axis(svg, x, ...shownTime(), H, data.time.by_time);
  // Dragging across the chart zooms in.
  let start = null;
  const brush = el("rect", { y: 8, height: H - 8, fill: "currentColor", opacity: .2, "pointer-events": "none", visibility: "hidden" });
  svg.append(brush);
  svg.addEventListener("pointerdown", event => { start = barAt(event); });
  svg.addEventListener("pointermove", event => {
    if (start === null) return;
    const here = barAt(event), low = Math.min(start, here), high = Math.max(start, here);
    brush.setAttribute("x", left(low)); brush.setAttribute("width", right(high) - left(low)); brush.setAttribute("visibility", start === here ? "hidden" : "visible");
  });
  svg.addEventListener("pointerup", event => {
    const here = barAt(event), low = Math.min(start ?? here, here), high = Math.max(start ?? here, here) + 1;
    const dragged = start !== null && here !== start;
    start = null;
    if (dragged) zoom(low, high);
  });
  svg.addEventListener("pointerleave", () => { start = null; brush.setAttribute("visibility", "hidden"); });
  $("time").replaceChildren(svg);
  $("legend").replaceChildren(...used().map(({ t, k }) => el("span", { style: `--colour:${colour(k)}` }, brief(`${k + 1} ${name(t)}`, 40))));
  const n = bars.reduce((sum, i) => sum + data.time.n_docs[i], 0), all = data.time.n_docs.reduce((a, b) => a + b, 0);
  $("range-note").textContent = `${span(from, to)}: ${n === all ? "all" : count(n) + " of"} ${count(all)} documents`;
  const { step, enough, starts, ends, usual, n_sampled } = data.time;
  $("time-note").textContent = `Each bar is ${step}` + (bars.some(i => ends[i] - starts[i] > 1.5 * usual) ? `, or longer where there are fewer than ${enough} documents` : "")
    + `; shares are estimated from up to ${count(Math.max(...bars.map(i => n_sampled[i])))} documents each.`
    + (bars.some(i => i > from && starts[i] > ends[i - 1]) ? " Gaps have no documents." : "") + (bars.some(isThin) ? ` Grey marks have fewer than ${enough} documents, too few for shares.` : "");
  table("time-table", ["time", "documents", ...used().map(({ t, k }) => brief(`${k + 1} ${name(t)}`, 40))],
    bars.map(i => [span(i), count(data.time.n_docs[i]), ...used().map(({ k }) => percent(level().shares[i][k]))]));
}
function zoom(from, to) {
  state.from = from; state.to = to;
  $("from").value = from; $("to").value = to;
  draw();
}
function drawDocuments() {
  if (!data.documents.length) { $("documents-note").textContent = data.no_documents; return; }
  const at = state.level, topics = level().topics, seen = {}, texts = new Set(), found = [];
  const inside = data.documents.filter(d => d.interval >= state.from && d.interval < state.to && topics[d.groups[at]].used && (state.topic === null || d.groups[at] === state.topic));
  for (const d of inside.sort((a, b) => b.scores[at] - a.scores[at])) {
    const k = d.groups[at];
    if (texts.has(d.text) || (seen[k] ?? 0) >= (state.topic === null ? 1 : 12)) continue;
    texts.add(d.text);
    seen[k] = (seen[k] ?? 0) + 1;
    found.push(d);
  }
  // On a small screen, those of the largest topics come first, and the rest on request.
  const most = isWide() || state.more ? found.length : 5;
  if (state.topic === null) found.sort((a, b) => most < found.length ? topics[b.groups[at]].weight - topics[a.groups[at]].weight : a.groups[at] - b.groups[at]);
  const time = data.time.starts.length > 1 ? `, ${span(state.from, state.to)}` : "";
  $("documents-note").textContent = (state.topic === null ? "The most typical document of each topic" : `Typical documents of topic ${state.topic + 1}, ${name(topics[state.topic])}`) + time + ".";
  $("documents").replaceChildren(...found.slice(0, most).map(d => showDocument(d, d.groups[at])));
  if (most < found.length) $("documents").append(el("button", { type: "button", class: "plain", onclick: () => { state.more = true; drawDocuments(); } }, `Show all ${found.length}`));
}
// One or two lines of a document; the rest on request. Expanded documents stay so when redrawn.
const expanded = new Set();
function showDocument(d, k) {
  const short = brief(d.text, isWide() ? 220 : 75), text = el("span", {}, short);
  const note = el("small", {}, `${k + 1} ${name(level().topics[k])} · ${when(d.position, true)}`);
  const toggle = ({ target }) => {
    text.textContent = target.open ? d.text : short;
    target.open ? expanded.add(d.text) : expanded.delete(d.text);
  };
  const body = short === d.text ? el("p", {}, text) : el("details", { ontoggle: toggle }, el("summary", {}, text));
  body.open = expanded.has(d.text);
  return el("blockquote", { style: `--colour:${colour(k)}` }, body, note);
}
// Cut at a word, or, if the first words are too long for that, anywhere.
function brief(text, n) {
  if (text.length <= n) return text;
  const whole = text.slice(0, n - 1).replace(/\s\S*$/, "");
  return whole.length < n / 2 ? text.slice(0, n - 1) + "…" : whole + "\u00a0…";
}
// Push overlapping circles apart, a little at a time: most of many topics are near the middle.
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
// A position for a label in or beside its circle that overlaps no other label or circle, if there is one.
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
  const topics = level().topics, W = Math.max(320, $("map").clientWidth), H = used().length > 16 ? Math.min(680, W * 1.1) : Math.min(440, W * .75);
  const everyone = data.levels.flatMap(l => used(l.topics).map(one => one.t)), xs = everyone.map(t => t.x), ys = everyone.map(t => t.y);
  const place = (v, all, low, high) => { const a = Math.min(...all), b = Math.max(...all); return b > a ? scale(a, b, low, high)(v) : (low + high) / 2; };
  const svg = el("svg", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": "Map of topics" });
  const radius = t => Math.max(4, Math.sqrt(t.weight) * Math.min(W, H) * .2), pad = Math.max(...topics.map(radius)) + 14;
  const marks = used().map(({ t, k }) => ({ k, r: radius(t), cx: place(t.x, xs, pad, W - pad), cy: place(t.y, ys, pad, H - pad) }));
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
  table("map-table", ["topic", "words", "share", "x", "y"], used().map(({ t, k }) => [k + 1, brief(t.words.slice(0, 5).join(" "), 80), percent(t.weight), t.x.toFixed(3), t.y.toFixed(3)]));
}
function drawTree() {
  const { leaves, merges, n_leaves } = data.tree, W = Math.max(320, $("tree").clientWidth), row = 18;
  const H = Object.values(leaves).filter(leaf => leaf.used).length * row + 24, label = Math.min(230, W * .5), most = Math.max(...merges.map(m => m.lost), 1e-9), x = v => label + v / most * (W - label - 12);
  const svg = el("svg", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": "How topics merge" }), nodes = {};
  // Leaves in the order in which they are adjacent in the tree; unused topics have no branch.
  const children = {};
  merges.forEach((m, i) => { children["m" + i] = [m.stays, m.joins]; });
  const place = [], walk = id => children[id] ? children[id].forEach(walk) : leaves[id].used && place.push(id);
  walk(merges.length ? "m" + (merges.length - 1) : "0");
  place.forEach((id, i) => { nodes[id] = [x(0), i * row + 12, leaves[id].groups[state.level]]; });
  for (const [id, [, py]] of Object.entries(nodes))
    svg.append(el("text", { x: label - 6, y: py + 4, "text-anchor": "end", style: "font-size:11px" }, brief(leaves[id].label, Math.floor(label / 6.2))));
  const at = data.levels[state.level].lost;
  merges.forEach((m, i) => {
    const a = nodes[m.stays], b = nodes[m.joins];
    if (!a || !b) { nodes["m" + i] = a ?? b; return; }
    const px = x(m.lost), same = a[2] === b[2] && a[2] !== null;
    for (const [qx, qy, g] of [a, b]) svg.append(el("path", { d: `M${qx},${qy}H${px}`, style: `stroke:${g === null ? "var(--soft)" : colour(g)};fill:none`, "stroke-width": 2.5 }));
    svg.append(tells(el("path", { d: `M${px},${a[1]}V${b[1]}`, style: `stroke:${same ? colour(a[2]) : "var(--soft)"};fill:none`, "stroke-width": 2.5 }), `${n_leaves - i} topics become ${n_leaves - i - 1}: loses ${m.price.toFixed(3)} nats per word`));
    nodes["m" + i] = [px, (a[1] + b[1]) / 2, same ? a[2] : null];
  });
  svg.append(el("line", { x1: x(at) + 1, x2: x(at) + 1, y1: 2, y2: H - 22, stroke: "currentColor", "stroke-dasharray": "3 3" }));
  for (const [v, text] of roundTicks(0, most)) svg.append(el("text", { class: "soft", x: x(v), y: H - 4, "text-anchor": v ? "middle" : "start" }, text));
  $("tree").replaceChildren(svg);
  table("tree-table", ["topics left", "price, nats per word", "lost in all"], merges.map((m, i) => [n_leaves - i - 1, m.price.toFixed(4), m.lost.toFixed(4)]));
}
// Up to 6 round numbers between low and high, evenly spaced, with as many digits as tell them apart.
function roundTicks(low, high) {
  const least = Math.max((high - low) / 5, 1e-6), power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find(m => m * power >= least * (1 - 1e-9)), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push([i * step, (i * step).toFixed(digits)]);
  return found;
}
// Curves at the positions xs, each [values, colour, dashes, name], on one scale. One percent of the
// values at either end may leave it, so that a burst of copies does not flatten the rest.
function drawCurves(id, about, xs, range, byTime, curves) {
  const W = Math.max(320, $(id).clientWidth), H = 180, x = scale(...range, 40, W - 2);
  const values = curves.flatMap(curve => curve[0]).sort((a, b) => a - b), rare = Math.floor(values.length / 100);
  const low = values[rare], high = values[values.length - 1 - rare], clip = v => Math.min(high, Math.max(low, v)), y = scale(low, high, H - 8, 32);
  const svg = el("svg", { viewBox: `0 0 ${W} ${H + 24}`, role: "group", "aria-label": about });
  for (const [v, text] of roundTicks(low, high)) svg.append(el("text", { class: "soft", x: 34, y: y(v) + 4, "text-anchor": "end" }, text), el("line", { class: "axis", x1: 40, x2: W, y1: y(v), y2: y(v) }));
  let left = 40; // of the next entry of the legend, which stands above the curves
  for (const [some, stroke, dash, text] of curves) {
    const style = `stroke:${stroke};fill:none`, d = some.map((v, i) => `${x(xs[i]).toFixed(1)},${y(clip(v)).toFixed(1)}`).join("L");
    svg.append(tells(el("path", { d: `M${d}`, style, "stroke-width": 2, "stroke-dasharray": dash }), `${text}: ${(some.reduce((a, b) => a + b, 0) / some.length).toFixed(2)} nats per word on average`));
    svg.append(el("line", { x1: left, x2: left + 24, y1: 10, y2: 10, style, "stroke-width": 2, "stroke-dasharray": dash }), el("text", { x: left + 30, y: 14 }, text));
    left += widthOf(text) + 54;
  }
  axis(svg, x, ...range, H, byTime);
  $(id).replaceChildren(svg);
}
const against = (rows, plain) => [[plain, "var(--soft)", "4 3", "word frequencies"], [rows, "var(--mark)", "", "topics"]];
function drawFit() {
  const bars = shownBars().filter(i => !isThin(i)), of = rows => bars.map(i => rows[i]);
  if (bars.length) drawCurves("fit", "Nats per word over time", bars.map(middle), shownTime(), data.time.by_time, against(of(level().fit), of(data.fit)));
  table("fit-table", ["time", "topics", "word frequencies"], bars.map(i => [span(i), level().fit[i].toFixed(3), data.fit[i].toFixed(3)]));
}
// Rows of [documents learned, loss, loss of word frequencies].
function drawLosses(id, about, rows) {
  drawCurves(id, about, rows.map(r => r[0]), [rows[0][0], rows[rows.length - 1][0]], false, against(rows.map(r => r[1]), rows.map(r => r[2])));
  table(id + "-table", ["documents", "topics", "word frequencies"], rows.map(r => [count(r[0]), r[1].toFixed(3), r[2].toFixed(3)]));
}
function draw() {
  const n = level().topics.length;
  if (state.topic !== null && state.topic >= n) state.topic = null;
  $("level-shown").textContent = n;
  $("level-note").textContent = n === data.n_topics ? "all topics of the model" : `merged from ${data.n_topics}` + (n === data.suggested ? ", the suggested number" : "");
  const focus = document.activeElement?.closest?.(".card") && [...$("topics").children].indexOf(document.activeElement);
  drawTopics();
  if (typeof focus === "number" && focus >= 0) $("topics").children[focus]?.focus();
  if (data.time.starts.length > 1) { drawShifts(); drawTime(); }
  drawDocuments();
  if ($("technical").open) drawTechnical();
}
// Drawn only when open: charts measure their width.
function drawTechnical() {
  drawMap();
  drawTree();
  if (data.time.starts.length > 1) drawFit();
  if (data.losses.length > 1) drawLosses("losses", "Prequential loss over the stream", data.losses);
}
// Show new data; the chosen level, topic and time stay.
function fill() {
  const n = data.time.starts.length;
  $("summary").textContent = data.summary;
  $("made").textContent = data.made;
  $("topics-note").textContent = data.documents.length ? "Choose a topic to see its documents." : data.no_documents;
  for (const id of ["trust", "findings"]) {
    $("s-" + id).hidden = !data[id].length;
    $(id + "-note").textContent = `Checks for the ${used(data.levels[data.start].topics).length} topics shown when the page opens.`;
    $(id).replaceChildren(...data[id].map(line => el("li", {}, line)));
  }
  $("level").max = data.levels.length - 1;
  $("level").value = state.level;
  for (const id of ["s-shifts", "s-time", "s-fit"]) $(id).hidden = n < 2;
  $("s-losses").hidden = data.losses.length < 2;
  for (const [id, least, most] of [["from", 0, n - 1], ["to", 1, n]]) Object.assign($(id), { min: least, max: most, step: 1, value: state[id] });
  draw();
}
function renew(content) {
  const topics = level().topics.length, before = data.time.starts.length, [from, to] = data.time.shown, opening = state.from === from && state.to === to;
  data = content;
  const n = data.time.starts.length, found = data.levels.findIndex(one => one.topics.length === topics);
  state.level = found < 0 ? data.start : found;
  if (opening || n < before) [state.from, state.to] = data.time.shown;
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
  $("technical").addEventListener("toggle", () => { if ($("technical").open) drawTechnical(); });
  // Technical details are printed, too.
  let wasOpen = false;
  matchMedia("print").addEventListener("change", event => {
    if (event.matches) wasOpen = $("technical").open;
    $("technical").open = event.matches || wasOpen;
    draw();
  });
}
begin();
