"""The scripted model endpoint with what only tests need: faults, and a record of what was asked."""

from tests.model.endpoint import Model
from tests.model.faults import Fault

__all__ = ["Fault", "Model"]
