"""Hand the points on to nbgrader, Gradescope, and into the files that Moodle and Canvas give."""
