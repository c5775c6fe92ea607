"""Mutants that no test can kill, each with the reason.

A key is the function and how the change begins, as ``python -m tools.mutate`` prints them; with
nothing after the arrow it stands for all mutants of that line.
"""

EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "learners/hedged/mixing.py mix",
        "largest = log_probs[i, c] if log_probs[i, c] > largest else largest -> largest = log_probs[i, c] if log_probs[i, c] >=",
    ): "the same number",
    (
        "learners/hedged/mixing.py weigh",
        "largest = log_probs[i, c] if log_probs[i, c] > largest else largest -> largest = log_probs[i, c] if log_probs[i, c] >=",
    ): "the same number",
    (
        "learners/hedged/mixing.py weigh",
        "step = share if t + 1.0 < memory else 1.0 / memory -> step = share if t + 1.0 <=",
    ): "the same number",
    (
        "documents/documents.py Documents.empty",
        "return cls.trusted(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), check_n_words(n_words)) -> return cls.trusted(np.zeros(1, np.int64), np.ones(0",
    ): "no entries",
    (
        "documents/documents.py Documents.empty",
        "return cls.trusted(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), check_n_words(n_words)) -> return cls.trusted(np.zeros(1, np.int64), np.zeros(0, np.int32), np.ones(0",
    ): "no entries",
    (
        "samples/reservoir.py Reservoir._choose",
        "draws, chosen = (self._draws.many(n_docs), np.empty((n_docs, 2), np.int64)) -> draws, chosen = (self._draws.many(n_docs), np.empty((n_docs, 3",
    ): "a longer buffer",
    (
        "samples/reservoir.py Reservoir._choose",
        "if len(chosen) <= FEW or self.n_seen + n_docs <= self.capacity: -> if len(chosen) < FEW",
    ): "sorted again",
    (
        "samples/reservoir.py Reservoir._choose",
        "if len(chosen) <= FEW or self.n_seen + n_docs <= self.capacity: -> if len(chosen) <= FEW or self.n_seen + n_docs <",
    ): "sorted again",
    (
        "samples/reservoir.py Reservoir._choose_one",
        "chosen = np.zeros((1, 2), np.int64) -> chosen = np.zeros((1, 3",
    ): "a longer buffer",
    (
        "samples/reservoir.py choose_slots",
        "return sort_slots(chosen, k) if k <= FEW else k -> return sort_slots(chosen, k) if True",
    ): "the slower of two ways to sort",
    (
        "samples/window.py Window.add",
        "chosen = np.empty((n_docs - skipped, 2), np.int64) -> chosen = np.empty((n_docs - skipped, 3",
    ): "a longer buffer",
    (
        "samples/window.py Window.add",
        "if n_wrapped > 0: -> if n_wrapped >= 0:",
    ): "rolled by nothing",
    (
        "em/statistics.py respond_to_block",
        "work = np.empty((4, 1, out.shape[1])) -> work = np.empty((5",
    ): "a longer buffer",
    (
        "em/statistics.py respond_to_block",
        "logs[0, k] = 0.0 -> logs[0, k] = 1.0",
    ): "the same for all topics: posteriors do not change",
    (
        "em/passes.py batch_pass",
        "fit, work = (0.0, np.empty((5, 1, source.n_topics))) -> fit, work = (0.0, np.empty((6",
    ): "a longer buffer",
    (
        "em/passes.py log_probs",
        "out, work = (np.empty(len(documents.bounds)), np.empty((5, 1, source.n_topics))) -> out, work = (np.empty(len(documents.bounds)), np.empty((6",
    ): "a longer buffer",
    (
        "em/passes.py visit",
        "work = np.empty((5, 1, columns.n_topics)) -> work = np.empty((6",
    ): "a longer buffer",
    (
        "em/passes.py sweep",
        "responsibilities, work = (np.empty((size, K)), np.empty((4, 1, K))) -> responsibilities, work = (np.empty((size, K)), np.empty((5",
    ): "a longer buffer",
    (
        "em/passes.py sweep",
        "responsibilities, work = (np.empty((size, K)), np.empty((4, 1, K))) -> responsibilities, work = (np.empty((size, K)), np.empty((4, 2",
    ): "a longer buffer",
    (
        "em/passes.py visit",
        "logs[0, k] = 0.0 -> logs[0, k] = 1.0",
    ): "the same for all topics: posteriors do not change",
    (
        "em/passes.py sweep",
        "logs[0, k] = 0.0 -> logs[0, k] = 1.0",
    ): "the same for all topics: posteriors do not change",
    (
        "evaluation/diagnosis.py split",
        "starts = np.cumsum(lengths) - lengths -> starts = np.cumsum(lengths) + lengths",
    ): "larger by twice a length, and only even or odd is asked for",
    (
        "evaluation/diagnosis.py split",
        "is_second = (np.arange(len(words)) - starts[rows]) % 2 == 1 -> "
        "is_second = (np.arange(len(words)) + starts[rows]) % 2 == 1",
    ): "larger by twice a start, and only even or odd is asked for",
    (
        "models/tree.py TopicTree.cut",
        "shares = member * np.where((weights > 0)[groups], self.model.weights, 1.0) -> shares = member * np.where((weights > 0)[groups], self.model.weights, 2.0)",
    ): "the topics are normalised on the next line",
    (
        "models/likelihood.py log_sum",
        "finite = np.where(np.isfinite(largest), largest, 0.0) -> finite = np.where(np.isfinite(largest), largest, 1.0)",
    ): "any finite number: the row is all -inf",
    (
        "models/likelihood.py softmax",
        "likelihood = np.exp(joint - np.where(ruled_out, 0.0, largest)[:, None]) -> likelihood = np.exp(joint - np.where(ruled_out, 1.0",
    ): "any finite number: the row is replaced",
    (
        "documents/csr.py from_tokens",
        "return from_words(np.concatenate([np.zeros(0, np.int64), *arrays]), lengths, n_words) -> return from_words(np.concatenate([np.ones(0",
    ): "no entries",
    ("documents/csr.py _as_ids", "return np.zeros(0, np.int64) -> return np.ones(0"): "no entries",
    (
        "documents/csr.py _as_ids",
        "array = np.zeros((1, 1)) ->",
    ): "anything with two dimensions is refused",
    (
        "documents/csr.py _check_counts",
        "whole = np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)) -> whole = np.isfinite(counts) & (counts > 0)",
    ): "zeros have been dropped",
    (
        "documents/csr.py _check_counts",
        "whole = np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)) -> whole = np.isfinite(counts) & (counts >= 1)",
    ): "zeros have been dropped",
    (
        "documents/csr.py _check_counts",
        "whole = np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)) -> whole = np.isfinite(counts) & (counts >= 0) & (counts == np.ceil",
    ): "the same integers",
    (
        "documents/documents.py Documents.widen",
        "if n_words < self.n_words: -> if n_words <=",
    ): "equal sizes have returned",
    (
        "documents/recoding.py check_recoding",
        "if new_ids is None and n_before <= n_words: -> if False",
    ): "a short cut",
    (
        "documents/recoding.py check_recoding",
        "if new_ids is None and n_before <= n_words: -> if new_ids is None and n_before < n_words",
    ): "a short cut",
    (
        "documents/recoding.py check_recoding",
        "taken = np.bincount(ids[ids >= 0], minlength=1) -> taken = np.bincount(ids[ids >= 0], minlength=2",
    ): "one 0 more",
    (
        "models/model.py TopicModel.recode",
        "topics = np.where(mass > 0, topics / np.where(mass > 0, mass, 1.0), uniform) -> topics = np.where(mass > 0, topics / np.where(mass > 0, mass, 2.0)",
    ): "any number but 0: the row is replaced",
    (
        "models/model.py _check_distribution",
        "if abs(sums[worst] - 1.0) > SUM_TOLERANCE: -> if abs(sums[worst] - 1.0) >=",
    ): "a tolerance, to the last bit",
    (
        "em/start.py recode_start",
        "old = concentration * max(n_words - n_new, 1) -> old = concentration * max(n_words - n_new, 2)",
    ): "without old words: only which random numbers are drawn",
    (
        "em/statistics.py Statistics.from_state",
        "if (np.abs(totals[1] - words.sum(axis=0)) > slack).any(): -> if (np.abs(totals[1] - words.sum(axis=0)) >=",
    ): "a tolerance, to the last bit",
    (
        "samples/draws.py Draws.one",
        "self._ahead = self._rng.random(2 * AHEAD)[::-1].tolist() -> self._ahead = self._rng.random(3",
    ): "how many are drawn ahead",
    ("samples/draws.py Draws._put_back", "if self._ahead: -> if True:"): "going back by 0",
    (
        "samples/draws.py Draws._put_back",
        "n = -len(self._ahead) % 2 ** 128 -> n = -len(self._ahead) % 2 ** 129",
    ): "the generator goes round in 2^128 numbers",
    (
        "samples/document_buffer.py DocumentBuffer.__init__",
        "self._bounds = np.zeros((0, 2), np.int64) ->",
    ): "room at first, which grows",
    (
        "samples/document_buffer.py DocumentBuffer.__init__",
        "self._open(np.zeros(0, np.int32), np.zeros(0), 0) ->",
    ): "room at first, which grows",
    (
        "samples/document_buffer.py DocumentBuffer.enter",
        "n, n_left, moved = (len(chosen), 0, np.empty((2 * len(chosen), 2), np.int64)) -> n, n_left, moved = (len(chosen), 1",
    ): "set anew unless nothing enters, and then `moved` is empty",
    (
        "samples/document_buffer.py DocumentBuffer.enter",
        "is_full = self._end + len(words) > len(self._words) ->",
    ): "`_reserve` looks again, exactly",
    (
        "samples/document_buffer.py DocumentBuffer.enter",
        "if is_full or n_slots > len(self._bounds): -> if True:",
    ): "`_reserve` looks again",
    (
        "samples/document_buffer.py DocumentBuffer.enter",
        "if is_full or n_slots > len(self._bounds): -> if is_full or n_slots >=",
    ): "`_reserve` looks again",
    (
        "samples/document_buffer.py DocumentBuffer.enter",
        "moved = moved if n_left == n else moved[:n + n_left] -> moved = moved if False",
    ): "a short cut",
    (
        "samples/document_buffer.py DocumentBuffer._reserve",
        "more = np.zeros((max(n_slots, 2 * len(self._bounds), 64), 2), np.int64) -> more = np.ones(",
    ): "not read before it is written",
    (
        "samples/reservoir.py Reservoir.add",
        "chosen = self._choose_one() if n_docs == 1 else self._choose(n_docs) -> chosen = self._choose_one() if False",
    ): "the same draws, more slowly",
    (
        "samples/reservoir.py Reservoir.add",
        "if len(documents.words) > self._max_entries: -> if True:",
    ): "`subsample_rows` looks again",
    (
        "samples/reservoir.py Reservoir.add",
        "if len(documents.words) > self._max_entries: -> if len(documents.words) >=",
    ): "`subsample_rows` looks again",
    (
        "samples/window.py Window.add",
        "if len(documents.words) > self._max_entries: -> if True:",
    ): "`subsample_rows` looks again",
    (
        "samples/window.py Window.add",
        "if len(documents.words) > self._max_entries: -> if len(documents.words) >=",
    ): "`subsample_rows` looks again",
    (
        "samples/reservoir.py Reservoir._choose_one",
        "if t > self.capacity and chance * (t - self._lag) > self.capacity: -> if t >= self.capacity",
    ): "at t = capacity the second is never true",
    (
        "samples/reservoir.py Reservoir._choose_one",
        "if t > self.capacity and chance * (t - self._lag) > self.capacity: -> if t > self.capacity and chance * (t - self._lag) >=",
    ): "a draw is equal to the limit with probability 2^-53",
    (
        "samples/reservoir.py choose_slots",
        "elif draws[i, 0] * (t - lag) <= capacity: -> elif draws[i, 0] * (t - lag) <",
    ): "a draw is equal to the limit with probability 2^-53",
    (
        "samples/token_subsample.py subsample_tokens",
        "sizes[i], done = (len(part[0]), here.stop) -> sizes[i], done = (len(part[1])",
    ): "as many counts as words",
    (
        "samples/token_subsample.py draw_tokens",
        "positions = rng.choice(int(ends[-1]), n, replace=False, shuffle=False) -> positions = rng.choice(int(ends[-1]), n, replace=False, shuffle=True",
    ): "the order of positions is not used",
    (
        "spectral/algorithm1.py pairs",
        "g = (L >= 2) / np.maximum(L * (L - 1), 1.0) / max(1, (L >= 2).sum()) -> g = (L >= 2) / np.maximum(L * (L - 1), 2.0)",
    ): "documents of two words or more have two pairs or more",
    (
        "spectral/algorithm1.py triples",
        "g = (L >= 3) / np.maximum(L * (L - 1) * (L - 2), 1.0) / max(1, (L >= 3).sum()) -> g = (L >= 3) / np.maximum(L * (L - 1) * (L - 2), 2.0)",
    ): "documents of three words or more have six triples or more",
    (
        "spectral/algorithm1.py whiten",
        "largest = (np.abs(U) > (1 - TIE) * np.abs(U).max(axis=0)).argmax(axis=0) -> largest = (np.abs(U) >=",
    ): "a tolerance, to the last bit",
    (
        "spectral/algorithm1.py whiten",
        "return np.asarray(U * np.sign(U[largest, np.arange(len(A))]) / np.sqrt(A)) -> return np.asarray(U / np.sign",
    ): "a sign is its own inverse",
    (
        "spectral/algorithm1.py power_iterations",
        "best = (values >= values.max() - TIE * abs(values.max())).argmax() -> best = (values > values.max()",
    ): "a tolerance, to the last bit",
    (
        "spectral/algorithm1.py power_iterations",
        "if abs(value) > NOTHING: -> if abs(value) >= NOTHING:",
    ): "a tolerance, to the last bit",
    (
        "spectral/algorithm1.py climb",
        "shift[value < last - 1e-12 * np.abs(last)] = np.linalg.norm(T) -> shift[value <=",
    ): "a tolerance, to the last bit",
    (
        "spectral/algorithm1.py climb",
        "if np.abs(theta - before).max(initial=0.0) < STILL: -> if np.abs(theta - before).max(initial=0.0) <=",
    ): "a tolerance, to the last bit",
    (
        "spectral/algorithm1.py unit",
        "return np.asarray(theta / np.where(norms > 0, norms, 1.0)) -> return np.asarray(theta / np.where(norms > 0, norms, 2.0",
    ): "any number but 0: the row is 0",
    (
        "spectral/algorithm1.py valid_model",
        "topics = np.maximum(topics * np.where(topics.sum(axis=1) < 0, -1.0, 1.0)[:, None], 0.0) -> topics = np.maximum(topics /",
    ): "a sign is its own inverse",
    (
        "spectral/algorithm1.py valid_model",
        "topics = np.maximum(topics * np.where(topics.sum(axis=1) < 0, -1.0, 1.0)[:, None], 0.0) -> topics = np.maximum(topics * np.where(topics.sum(axis=1) < 0, -2.0",
    ): "rows are normalised",
    (
        "spectral/algorithm1.py valid_model",
        "topics = np.maximum(topics * np.where(topics.sum(axis=1) < 0, -1.0, 1.0)[:, None], 0.0) -> topics = np.maximum(topics * np.where(topics.sum(axis=1) < 0, -1.0, 2.0",
    ): "rows are normalised",
    (
        "spectral/algorithm1.py valid_model",
        "topics = topics[mass > NOTHING] / mass[mass > NOTHING, None] -> topics = topics[mass >=",
    ): "a tolerance, to the last bit",
    (
        "spectral/algorithm1.py valid_model",
        "topics = topics[mass > NOTHING] / mass[mass > NOTHING, None] -> topics = topics[mass > NOTHING] / mass[mass >=",
    ): "a tolerance, to the last bit",
    (
        "spectral/algorithm1.py valid_model",
        "weights = np.minimum(weights[mass > NOTHING], 1.0) -> weights = np.minimum(weights[mass >=",
    ): "a tolerance, to the last bit",
    (
        "spectral/power.py power_method",
        "eigenvalues, eigenvectors = (np.zeros(k), np.zeros((k, k))) ->",
    ): "not read before they are written",
    (
        "spectral/power.py decompose_tensor",
        "theta, work = (np.empty(k), np.empty((2 * k + 2, k))) -> theta, work = (np.empty(k), np.empty((3",
    ): "a longer buffer",
    (
        "spectral/power.py decompose_tensor",
        "theta, work = (np.empty(k), np.empty((2 * k + 2, k))) -> theta, work = (np.empty(k), np.empty((2 * k + 3",
    ): "a longer buffer",
    (
        "spectral/power.py decompose_tensor",
        "if i < k - 1: -> if True:",
    ): "nothing is sought in what the last component leaves",
    (
        "spectral/power.py decompose_tensor",
        "if i < k - 1: -> if i <= k - 1:",
    ): "nothing is sought in what the last component leaves",
    (
        "spectral/power.py decompose_tensor",
        "if i < k - 1: -> if i < k + 1:",
    ): "nothing is sought in what the last component leaves",
    (
        "spectral/power.py _iterate",
        "M, B, image, step = (work[:k], work[k:2 * k], work[2 * k], work[2 * k + 1]) -> M, B, image, step = (work[:k], work[k:3 * k]",
    ): "a longer view, of which the first rows are used",
    (
        "spectral/power.py _iterate",
        "if moved < NEAR and _newton_step(M, image, theta, value, B, step) < reach * moved: -> if moved <=",
    ): "a tolerance, to the last bit",
    (
        "spectral/power.py _iterate",
        "if moved < NEAR and _newton_step(M, image, theta, value, B, step) < reach * moved: -> if moved < NEAR and _newton_step(M, image, theta, value, B, step) <=",
    ): "a tolerance, to the last bit",
    (
        "spectral/power.py _iterate",
        "break -> continue",
    ): "theta stands still: what follows only takes time",
    (
        "spectral/power.py _iterate",
        "if moved < still: -> if False:",
    ): "theta stands still: what follows only takes time",
    (
        "spectral/power.py _iterate",
        "if moved < still: -> if moved <= still:",
    ): "a tolerance, to the last bit",
    (
        "spectral/power.py _iterate",
        "if damped and shift == 0.0 and (value < last - FELL * abs(last)): -> if damped and shift == 0.0 and (value <=",
    ): "a tolerance, to the last bit",
    (
        "spectral/estimate.py Estimate.n_usable",
        "return int(np.count_nonzero(np.abs(self.tensor_eigenvalues) > NOTHING)) -> return int(np.count_nonzero(np.abs(self.tensor_eigenvalues) >=",
    ): "a tolerance, to the last bit",
    (
        "spectral/basis.py find_basis",
        "scaled = (lambda Z: S * multiply(S * Z)) if scaling else multiply -> scaled = (lambda Z: S * multiply(S * Z)) if True",
    ): "scales are 1",
    (
        "spectral/basis.py top_eigenspace",
        "return np.asarray(basis * np.sign(basis[largest, range(r)])) -> return np.asarray(basis / np.sign",
    ): "a sign is its own inverse",
    (
        "spectral/recovery.py recover",
        "if abs(lambdas[i]) > NOTHING: -> if abs(lambdas[i]) >=",
    ): "a tolerance, to the last bit",
    (
        "spectral/recovery.py complete",
        "clipped, n_found = (np.zeros(len(omega)), 0) -> clipped, n_found = (np.ones(len(omega))",
    ): "not read before it is written",
    (
        "spectral/recovery.py complete",
        "if omega[i] > 0 and mass > NOTHING: -> if omega[i] > 0 and mass >=",
    ): "a tolerance, to the last bit",
    (
        "spectral/recovery.py complete",
        "scale = (1.0 - share) * (-1.0 if total < 0 else 1.0) / mass -> scale = (1.0 - share) /",
    ): "a sign is its own inverse",
    (
        "spectral/recovery.py complete",
        "weights[i] = 0.0 if n_found > 0 else 1.0 -> weights[i] = 0.0 if n_found > 0 else 2.0",
    ): "weights are normalised",
    (
        "spectral/whitening.py whiten",
        "first = np.argmax(np.abs(vector) > (1.0 - 1e-09) * np.abs(vector).max()) -> first = np.argmax(np.abs(vector) >=",
    ): "a tolerance, to the last bit",
    (
        "moments/pair_operator.py pair_operator",
        "n_summed = int((np.diff(documents.indptr) ** 2).sum()) ->",
    ): "which road is faster",
    (
        "moments/pair_operator.py pair_operator",
        "if N_PRODUCTS * d * d + n_summed < N_PRODUCTS * 10 * len(words): ->",
    ): "which road is faster",
    (
        "moments/projected.py ProjectedSums.widen",
        "is_ours = len(self._room) > 0 and self.sums.basis.base is self._room[0] -> is_ours = len(self._room) > 1",
    ): "there is room for none or for all three",
    (
        "moments/projected.py ProjectedSums.widen",
        "if not is_ours or n_words > len(self._room[0]): -> if not is_ours or n_words > len(self._room[1]):",
    ): "all have as many rows",
    (
        "moments/sums.py tuple_weights",
        "n_tuples *= np.where(enough, lengths - k, 1.0) -> n_tuples *= np.where(enough, lengths - k, 2.0",
    ): "any number but 0: the weight is replaced",
    (
        "moments/update_kernels.py update_sums",
        "n_rows = min(CHUNK, max(len(documents.bounds), len(known))) -> n_rows = max(CHUNK",
    ): "a longer buffer",
    (
        "moments/update_kernels.py _add_documents",
        "width = 4 * ((2 * r + 6) // 4) -> width = 5",
    ): "a wider table, whose last columns are not read",
    (
        "moments/update_kernels.py _add_documents",
        "width = 4 * ((2 * r + 6) // 4) -> width = 4 * ((3 * r + 6) // 4)",
    ): "a wider table, whose last columns are not read",
    (
        "moments/update_kernels.py _add_documents",
        "width = 4 * ((2 * r + 6) // 4) -> width = 4 * ((2 * r + 7) // 4)",
    ): "a wider table, whose last columns are not read",
    (
        "moments/update_kernels.py _add_documents",
        "width = 4 * ((2 * r + 6) // 4) -> width = 4 * ((2 * r + 6) * 4)",
    ): "a wider table, whose last columns are not read",
    (
        "moments/update_kernels.py _add_documents",
        "p, terms = (np.empty(r), np.zeros(width)) -> p, terms = (np.empty(r), np.ones(width))",
    ): "columns that are not written are not read",
    (
        "moments/update_kernels.py number_words",
        "if n_entries * WORDS < n_words: ->",
    ): "which road is faster",
    (
        "moments/update_kernels.py number_words",
        "place[np.uint32(entry)] = 1 -> place[np.uint32(entry)] = 2",
    ): "any number but 0",
    (
        "spectral/block_krylov.py _Search.__init__",
        "self.H = np.zeros((room, room)) -> self.H = np.ones((room, room))",
    ): "what is read of it, the upper triangle, is written before",
    (
        "spectral/block_krylov.py _Search.__init__",
        "self.values: Floats = np.zeros(0) ->",
    ): "not read before the first look",
    (
        "spectral/block_krylov.py _Search.__init__",
        "self.vectors: Floats = np.zeros((0, 0)) ->",
    ): "not read before the first look",
    (
        "spectral/block_krylov.py _Search.__init__",
        "self.rng = np.random.default_rng(0) ->",
    ): "which random numbers are drawn",
    (
        "spectral/block_krylov.py _Search._orthonormal",
        "while 0.0 < left < enough: -> while 0.0 < left <= enough:",
    ): "a tolerance, to the last bit",
    (
        "spectral/block_krylov.py _Search._orthonormal",
        "return block if left > 0.0 else _completed(block, known, self.rng) -> return block if False",
    ): "`_completed` leaves what is orthonormal so, slowly",
    (
        "spectral/block_krylov.py _Search._orthonormal",
        "return block if left > 0.0 else _completed(block, known, self.rng) -> return block if left > 1.0",
    ): "`_completed` leaves what is orthonormal so, slowly",
    (
        "spectral/block_krylov.py _completed",
        "while n_passes < 2: -> while n_passes <= 2:",
    ): "one pass more than is needed",
    (
        "spectral/block_krylov.py _completed",
        "while n_passes < 2: -> while n_passes < 3:",
    ): "one pass more than is needed",
    (
        "spectral/block_krylov.py _completed",
        "spanned = sizes <= RANK * max(sizes.max(), np.finfo(float).tiny) -> spanned = sizes < RANK",
    ): "a tolerance, to the last bit",
    (
        "spectral/basis.py scale_words",
        "if power == 0.0: -> if False:",
    ): "a short cut",
    (
        "models/matching.py compare",
        "out, sizes = (np.empty((k, k)), np.empty((2, k))) -> out, sizes = (np.empty((k, k)), np.empty((3",
    ): "a longer buffer",
    (
        "em/statistics.py match",
        "topics, wanted = (np.ascontiguousarray(s.words.T) + tiny",
    ): "a topic without words is as far from the others",
    (
        "em/passes.py visit",
        "if largest > least or before < 0.5: -> if largest >= least or before < 0.5",
    ): "a tolerance, to the last bit",
    (
        "em/passes.py visit",
        "if largest > least or before < 0.5: -> if largest > least or before <= 0.5",
    ): "a posterior sums to 0 or 1",
    (
        "models/merging.py merge_topics",
        "merges = find_merges(np.where(words > LEAST, words, 0.0), n_wanted) -> merges = find_merges(np.where(words >=",
    ): "a tolerance, to the last bit",
    (
        "models/merging.py _merge",
        "best, first, second = (np.inf, 0, 0) ->",
    ): "any pair is better than none",
    (
        "models/merging.py _merge",
        "if price < best: -> if price <= best",
    ): "a tie, of the last bit",
    (
        "models/tree.py TopicTree.cut",
        "return Cut(TopicModel.trusted(weights / weights.sum(), topics), groups) -> return Cut(TopicModel.trusted(weights * weights.sum()",
    ): "the sum is 1 but for rounding",
}
