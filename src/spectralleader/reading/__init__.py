"""A model as people read it: topics at every level, over time, and in sentences.

`snapshot` has the immutable copies that everybody reads: of all topics at once, and of one level.
`levels` merges topics and names them, `surprise` keeps past scores, `timeline` times and sampled
texts, `trends` shows shares over time, and `typical` chooses documents. `description` joins them
with a `diagnosis`, and `findings` words them.
"""
