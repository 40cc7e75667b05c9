"""Local searches that use models of the objective."""
