"""What runs the course: questions, explorables, the claims ledger, the command line and the grader."""
