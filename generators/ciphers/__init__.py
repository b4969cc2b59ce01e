"""Ciphers: texts to encrypt, decrypt and break."""
