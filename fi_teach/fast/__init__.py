"""What makes the methods fast: each function equals a definition in trees/ or importance/."""
