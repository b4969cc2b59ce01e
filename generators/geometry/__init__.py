"""Points, lines, triangles, circles, polygons and solids; with a figure where it helps."""
