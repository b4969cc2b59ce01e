"""The server: one process and one port that speak the protocols of trainers and evaluations."""
