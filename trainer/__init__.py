"""The RL loop: sample groups, judge them, learn from what differs within a group."""
