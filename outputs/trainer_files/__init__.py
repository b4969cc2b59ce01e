"""What an export writes: data files of chosen rows in order, a hook, and a page that says more."""
