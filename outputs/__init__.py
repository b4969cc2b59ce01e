"""What leaves the mill: Parquet, the card, the report."""
