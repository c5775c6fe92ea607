"""A model as people read it: topics at every level, over time, in rows and in sentences.

`snapshot` is an immutable copy of the topics, `annotations` their levels and names, `surprise` past
scores, `timeline` times and sampled texts, `trends` shares over time. `description` joins them with
a `diagnosis` for the commands, and `findings` words them.
"""
