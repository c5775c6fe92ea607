// The live page: the same charts, updated by events of the service.
let last = null;
const isUnusual = row => row.p_value !== null && row.p_value <= .01;
// The topic at the level shown; with more than 40 topics, the page only knows the finest level.
function topicOf(row) {
  const k = row.topic - 1, known = data.tree.n_leaves === data.n_topics;
  const g = known ? data.tree.leaves[k].groups[state.level] : k, shown = known ? level().topics : data.levels[data.levels.length - 1].topics;
  const fine = shown.length === data.n_topics ? percent(row.probability) : `${percent(row.probability)} topic ${row.topic} of all ${data.n_topics}`;
  return [g, `topic ${g + 1}, ${name(shown[g])} (${fine})` + (isUnusual(row) ? `, unusual: ${percent(row.p_value)} of earlier documents were as unlikely` : "")];
}
function drawLatest(rows) {
  $("latest").replaceChildren(...rows.map(row => {
    const [g, said] = row.known_words ? topicOf(row) : [7, "no known words"];
    return el("blockquote", { style: `--colour:${colour(g)}`, class: isUnusual(row) ? "odd" : "" }, el("small", {}, `${row.time}, ${said}`), row.text ?? "(texts are not kept)");
  }));
}
function beat(now) {
  const rate = now.learns ? `; ${now.rate.toLocaleString("en")} per second` : "; not learning";
  $("live").textContent = `${now.n_docs.toLocaleString("en")} documents learned${rate}` + (now.lag ? `; ${now.lag}` : "") + (now.problems.length ? `; ${now.problems.join("; ")}` : "");
  last = now;
  drawLatest(now.latest);
  if (now.points.length > 1 && $("technical-loss").open) drawLosses("loss", "Loss while learning", now.points);
  $("events").replaceChildren(...now.events.map(line => el("li", {}, line)));
}
async function classify(event) {
  event.preventDefault();
  const text = $("try-text").value;
  if (!text.trim()) return;
  const document_ = data.tokens ? { tokens: [text.split(/[\s,]+/).filter(Boolean)] } : { texts: [text] };
  try {
    const answer = await fetch("predict?level=all", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(document_) });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    const row = found.documents[0];
    $("tried").textContent = row.known_words ? `${topicOf(row)[1]}; ${row.known_words} known words` : "It contains no known words.";
  } catch (error) {
    $("tried").textContent = `The text was not classified: ${error.message}`;
  }
}
function follow() {
  const stream = new EventSource("live");
  stream.addEventListener("content", event => renew(JSON.parse(event.data)));
  stream.addEventListener("pulse", event => beat(JSON.parse(event.data)));
  stream.addEventListener("error", () => { $("live").textContent = "The service does not respond. Reconnecting."; });
}
$("technical-loss").addEventListener("toggle", () => { if (last) beat(last); });
$("try").addEventListener("submit", classify);
$("level").addEventListener("input", () => { if (last) drawLatest(last.latest); });
follow();
