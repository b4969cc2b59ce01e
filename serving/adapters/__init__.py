"""Adapters: families and games as other frameworks' own environments, in their processes."""
