"""What runs the course: questions, explorables, claims ledger, command line and grader."""
