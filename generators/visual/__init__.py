"""Problems asked with pictures."""
