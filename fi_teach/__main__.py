"""`python -m fi_teach` is the command `fi-teach`, where that is not on the path."""

import sys

from fi_teach.course.cli import main

sys.exit(main())
