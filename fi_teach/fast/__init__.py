"""What makes the methods fast: each function here has a definition in trees/ or importance/ that it equals."""
