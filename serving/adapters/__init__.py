"""Adapters: a file here is what one framework loads, and imports that framework.

They hold the tasks and episodes of the server in the trainer's own process, without HTTP.
"""
