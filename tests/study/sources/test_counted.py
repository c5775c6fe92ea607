from collections import Counter
from itertools import islice

import pytest

from spectralleader import Words
from study.sources.corpora import open_corpus
from study.sources.counted import count_corpus
from tests.factories import write_corpus
from tests.real_data import real_file

TEXTS = [
    ("The vaccine trial: vaccine doses!", "health"),
    ("of the", "health"),
    ("goal, goal and match", "sports"),
    ("a trial", "health"),
    ("match goal vaccine rare", "sports"),
]


@pytest.fixture
def folder(tmp_path):
    write_corpus(tmp_path / "news_headlines.csv.gz", TEXTS)
    return tmp_path


def test_frequent_words_are_kept_and_short_documents_are_not(folder):
    counted = count_corpus("news_headlines", folder, n_words=4)
    assert list(counted.vocabulary) == ["goal", "vaccine", "match", "trial"]
    assert counted.documents.to_matrix().toarray().tolist() == [
        [0, 2, 0, 1],
        [2, 0, 1, 0],
        [1, 1, 1, 0],
    ]
    assert counted.labels == ["health", "sports", "sports"]
    assert counted.n_read == len(TEXTS)


def test_the_vocabulary_and_the_documents_are_the_first_ones(folder):
    counted = count_corpus("news_headlines", folder, n_words=9, min_words=1, n_docs=3)
    assert "rare" not in counted.vocabulary
    assert counted.labels == ["health", "sports", "health"]
    none = count_corpus("news_headlines", folder, n_words=4, min_words=9)
    assert (none.documents.n_docs, none.labels) == (0, [])


def test_a_corpus_without_labels_has_none(tmp_path):
    write_corpus(tmp_path / "election_tweets.csv.gz", [(text, None) for text, _ in TEXTS])
    counted = count_corpus("election_tweets", tmp_path, n_words=4)
    assert counted.labels is None
    assert counted.documents.n_docs == 3


def test_a_missing_corpus_is_told(tmp_path):
    with pytest.raises(ValueError, match="cannot read the corpus 'news_headlines'"):
        count_corpus("news_headlines", tmp_path, n_words=4)


@pytest.mark.parametrize("name", ["news_headlines", "election_tweets"])
def test_real_text_is_prepared_as_written_out(name):
    folder = real_file(f"{name}.csv.gz").parent
    counted = count_corpus(name, folder, n_words=500, n_docs=2500)
    words = Words(stop_words="english")
    with open_corpus(name, folder) as reader:
        tokens = [words(text) for block in islice(reader, 5) for text in block.texts]
    totals = Counter(word for document in tokens[:2500] for word in document)
    frequent = [w for w, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))[:500]]
    assert list(counted.vocabulary) == frequent
    known = set(frequent)
    kept = [k for document in tokens if len(k := [w for w in document if w in known]) >= 3][:2500]
    assert counted.documents.lengths.tolist() == [len(document) for document in kept]
    first = dict(zip(counted.documents[0].words, counted.documents[0].counts, strict=True))
    assert {frequent[w]: n for w, n in first.items()} == Counter(kept[0])
