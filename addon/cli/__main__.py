"""``python -m gpuscene.cli`` is the command ``gpuscene``."""

import sys

from . import main

sys.exit(main())
