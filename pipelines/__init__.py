"""Composition in plain Python: plan, build, rescore, regenerate. No Prefect here."""
