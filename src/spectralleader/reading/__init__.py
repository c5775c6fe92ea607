"""A model as people read it: topics at every level, over time, in rows and in sentences.

`snapshot` has the immutable copies that everybody reads: of all topics at once, and of one level.
`levels` merges topics, `names` names them, `surprise` keeps past scores, `timeline` times and
sampled texts, `trends` shows shares over time, and `typical` chooses documents. `description` joins
them with a `diagnosis`; `findings` words them, and `rows` are plain values.
"""
