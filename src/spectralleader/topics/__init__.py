"""TextTopics: a learner, a vectoriser and a timeline; how they are saved and merged.

`text_topics` has the class, and `first_use` compiles what it needs. What people read of it is in
`reading`.
"""
