"""Proofs about objectives: which boards fulfil them, how many, how few cards it takes, and how objectives relate to
each other.
"""
