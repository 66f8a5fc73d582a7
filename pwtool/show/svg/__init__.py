"""Pictures of objectives, boards and positions."""
