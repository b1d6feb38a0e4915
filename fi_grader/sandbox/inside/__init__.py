"""The code that runs inside the sandbox: a fork server and its student processes, no questions."""
