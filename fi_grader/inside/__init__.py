"""What runs inside the sandbox: a warm parent that forks one student process a submission. No question is known here."""
