"""Proofs about objectives: what boards fulfil them, how many, with how few cards, and how they stand to each other."""
