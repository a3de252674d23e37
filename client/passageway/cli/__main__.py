"""`python -m passageway.cli`, where the executable is not on the path."""

import sys

from passageway.cli import main

sys.exit(main())
