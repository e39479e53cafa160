"""The cases of pathological.blend, a module a kind. Each has `add_cases(board)`."""
