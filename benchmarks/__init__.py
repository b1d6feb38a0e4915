"""fi_teach against its peers: `make bench`, or `make bench QUICK=1` for the short of it."""
