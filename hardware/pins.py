"""The pins of this machine, where it has any."""

import logging
import warnings
from typing import Any

log = logging.getLogger(__name__)


def open_pins() -> Any | None:
    """The pin factory of this machine; None where there is no GPIO."""
    from gpiozero import Device  # slow, and only a desk with pins needs it

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every library it tried
        try:
            Device.ensure_pin_factory()
            _ = Device.pin_factory.board_info  # a laptop's own GPIO chip is refused here
        except Exception as trouble:  # noqa: BLE001  (each library fails with errors of its own)
            log.info("No GPIO on this machine: %s", trouble)
            return None
    return Device.pin_factory
