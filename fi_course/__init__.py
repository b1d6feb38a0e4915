"""The course: what students see, answer and hand in, built on the methods of fi_teach.

questions : the exercise sets. A `Question` holds a check; `judge` compares an answer with it and
    returns a `Verdict`, which `cards` shows. `specification` writes questions as data, so that a
    student's copy and a page judge answers without an answer to read.
explorables : interactive pictures whose every state Python computes before the page is made
claims : the sentences of the sources that a chapter checks, each settled by the cell it stands in
compare : every method on every world of fi_teach.worlds, graded against the truth
tables : real data sets with their licences
cli, check_install, submit, reproducible_zip : the student's commands and the file to hand in

It imports fi_teach only; fi_grader judges submissions with the same questions.
"""
