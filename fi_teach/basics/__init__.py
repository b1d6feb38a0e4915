"""What all methods build on: trees, tables, targets, losses, models, games and results."""
