"""Partial replies: readers that tell what the first lines of a reply establish, for
`Family.progress`.

Each thing counts once. A thing that is stated in two ways is void, and so is what stands under a
supposition. What the prompt says already establishes nothing.
"""
