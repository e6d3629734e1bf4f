"""What must hold after every fault is asserted in a helper: failing, it should show the values."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("faults.world")
