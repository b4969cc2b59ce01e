"""Plans: moves that lead from one state to another."""
