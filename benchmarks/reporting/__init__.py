"""From rows to tables, figures, a JSON file and a page."""
