#!/usr/bin/env bash
# Runs once, when Gradescope builds the autograder's image.
set -e
apt-get update && apt-get install -y python3 python3-venv bubblewrap
python3 -m venv /autograder/venv
cd /autograder/source/course
/autograder/venv/bin/pip install ".[grade,lab,wasm]" ./fi_course
