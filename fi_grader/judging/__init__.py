"""Judge submissions: in processes of their own, which never run a student's code."""
