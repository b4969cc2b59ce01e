"""Words: to sort, to group, to find, to link into chains and to fit into grids."""
