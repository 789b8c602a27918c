"""The pins of this machine, where it has any, and what hangs on them."""

import logging
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from hardware.health import Health

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


def wired(
    numbers: Mapping[str, int | None], factory: Any | None, make: Callable[[str, int], Any]
) -> tuple[dict[str, Any], Health]:
    """What hangs on each of these pins, and how that went. One that is refused leaves the others."""
    pins = {name: number for name, number in numbers.items() if number is not None}
    if not pins or factory is None:
        return {}, Health(True, "no-gpio" if pins else "virtual")
    made = {name: _made(name, number, make) for name, number in pins.items()}
    there = {name: device for name, device in made.items() if device is not None}
    return there, Health(True, "ready") if len(there) == len(pins) else Health(False, "pin-refused")


def _made(name: str, number: int, make: Callable[[str, int], Any]) -> Any | None:
    try:
        return make(name, number)
    except Exception:  # each library fails with errors of its own
        log.exception("The pin %s does not take %s.", number, name)
        return None
