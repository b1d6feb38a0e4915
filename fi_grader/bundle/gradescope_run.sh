#!/usr/bin/env bash
# Runs for each submission.
cd /autograder/source/course
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
/autograder/venv/bin/python -m fi_grader.exports.gradescope \
  EXERCISE /autograder/submission /autograder/results/results.json SEED
