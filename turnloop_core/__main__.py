"""`python -m turnloop_core` is `tl`."""

import sys

from turnloop_core.frontend.main import main

sys.exit(main())
