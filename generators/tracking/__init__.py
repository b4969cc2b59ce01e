"""Stories whose state has to be kept: who has what, who knows what, who is where and when."""
