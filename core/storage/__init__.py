"""Storage: files that are whole or absent, shards that are made once, workers that make them."""
