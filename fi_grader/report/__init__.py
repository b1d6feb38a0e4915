"""What became of the submissions: results on disk, people's marks, scores, tables and pages."""
