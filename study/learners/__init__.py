"""Learners that only the study compares with; scenarios name them package.module:Class."""
