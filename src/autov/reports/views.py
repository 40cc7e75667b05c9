"""How results draw themselves, and what notebooks show of them."""

from __future__ import annotations
