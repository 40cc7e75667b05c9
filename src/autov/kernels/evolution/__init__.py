"""The compiled metaheuristic around an operator."""
