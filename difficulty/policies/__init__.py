"""Who replies: the policies whose pass rate is measured, behind one protocol."""
