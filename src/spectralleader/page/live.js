// The live page: the same charts, renewed by events of the service.
const topicOf = row => `topic ${row.topic}${row.name ? " " + row.name : ""}, ${percent(row.probability)}` + (row.p_value === null ? "" : `, p = ${row.p_value}`);
function drawLatest(rows) {
  $("latest").replaceChildren(...rows.map(row => el("blockquote", { style: `--colour:${colour(row.topic - 1)}`, class: row.p_value !== null && row.p_value <= .01 ? "odd" : "" },
    el("small", {}, `${row.time}, ${topicOf(row)}`), row.text ?? "(texts are not kept)")));
}
function drawLoss(points) {
  if (points.length < 2) return;
  drawCurves("loss", "Loss while learning", "nats per word", against(points.map(p => p[2]), points.map(p => p[3])), i => "document " + points[Math.min(i, points.length - 1)][1].toLocaleString("en"));
  table("loss-table", ["documents", "topics", "word frequencies"], points.map(p => [p[1], p[2].toFixed(3), p[3].toFixed(3)]));
}
function beat(now) {
  const rate = now.learns ? `; ${now.rate.toLocaleString("en")} per second` : "; not learning";
  $("live").textContent = `${now.n_docs.toLocaleString("en")} documents learned${rate}` + (now.lag ? `; ${now.lag}` : "") + (now.problems.length ? `; ${now.problems.join("; ")}` : "");
  drawLatest(now.latest);
  drawLoss(now.points);
  $("events").replaceChildren(...now.events.map(line => el("li", {}, line)));
}
async function classify(event) {
  event.preventDefault();
  const text = $("try-text").value;
  if (!text.trim()) return;
  const document_ = data.tokens ? { tokens: [text.split(/[\s,]+/).filter(Boolean)] } : { texts: [text] };
  try {
    const answer = await fetch("predict", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(document_) });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    const row = found.documents[0], words = data.levels[data.levels.length - 1].topics[row.topic - 1].words.slice(0, 5).join(" ");
    $("tried").textContent = row.known_words ? `${topicOf(row)} of all ${data.n_topics} (${words}); ${row.known_words} known words` : "No word of it is known.";
  } catch (error) {
    $("tried").textContent = `Not classified: ${error.message}`;
  }
}
function follow() {
  const stream = new EventSource("live");
  stream.addEventListener("content", event => renew(JSON.parse(event.data)));
  stream.addEventListener("pulse", event => beat(JSON.parse(event.data)));
  stream.addEventListener("error", () => { $("live").textContent = "The service does not answer; trying again."; });
}
$("try").addEventListener("submit", classify);
follow();
