"""Before: what a hedged leader was before a step, in case the step fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spectralleader.documents import Documents
from spectralleader.learners.hedged.background import count_words
from spectralleader.learners.undoing import fields_of, put_back
from spectralleader.samples import Change, Sample

if TYPE_CHECKING:
    from spectralleader.learners.hedged.leader import HedgedLeader


class Before:
    """Small things are copied, large ones are kept as they are held.

    Tables of words are added to in place, the last thing that an ordinary step does. A step that
    goes on after it, to polish topics anew, copies them first: next to polishing that is nothing.
    """

    def __init__(self, learner: HedgedLeader) -> None:
        panel, polishing = learner._panel, learner._polishing
        mixing, tracking, tables = panel.mixing, panel.tracking, panel.tables
        self._learner = learner
        parts = (panel, panel.background, mixing, tracking, tables, polishing)
        self._fields = fields_of(learner, *parts)
        small = (mixing.pool, mixing.weights, tracking.priors, tables.scales)
        self._copies = [(array, array.copy()) for array in small]
        self._aliases = [(tables.stacked, tables.stacked.alias())]
        self._changes: list[tuple[Sample, Change, int]] = []
        self._counted: Documents | None = None
        self._is_copied = False  # the tables

    def note(self, sample: Sample, change: Change, n_docs: int) -> None:
        """Take note of what a sample was shown."""
        self._changes.append((sample, change, n_docs))

    def counted(self, block: Documents) -> None:
        """Take note of a block whose words were counted."""
        self._counted = block

    def recodes(self) -> None:
        """Keep what it means that words are as they are, too."""
        self.copy_tables()
        self._aliases += [(one, one.alias()) for one in self._learner._polishing.contenders]

    def copy_tables(self) -> None:
        """Go on in copies of what is added to in place."""
        panel = self._learner._panel
        panel.background.seen = panel.background.seen.copy()
        panel.tables.stacked.unshare()
        self._is_copied = True

    def put_back(self) -> None:
        """Make the learner what it was."""
        learner = self._learner
        for sample, change, n_docs in reversed(self._changes):
            sample.undo(change, n_docs)
        put_back(self._fields)
        for array, copy in self._copies:
            array[:] = copy
        for statistics, alias in self._aliases:
            statistics.become(alias)
        if self._counted is not None and not self._is_copied:
            block = self._counted  # whole numbers and halves: exact
            count_words(learner._panel.background.seen, block.words, -block.counts)
        for sample in (learner._polishing.reservoir, learner._polishing.window):
            sample.recode(None, learner.n_words)
