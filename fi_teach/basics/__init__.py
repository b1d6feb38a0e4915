"""What all methods speak of: trees, tables, targets, losses, models, games and results."""
