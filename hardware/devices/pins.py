"""GPIO pins: opening them, and creating the devices that are connected to them."""

import logging
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from hardware.devices.health import Health

log = logging.getLogger(__name__)


def open_pins() -> Any | None:
    """The gpiozero pin factory of this machine; None if it has no GPIO."""
    from gpiozero import Device  # slow, and only a desk with pins needs it

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # gpiozero warns about every library it tried
        try:
            Device.ensure_pin_factory()
            _ = Device.pin_factory.board_info  # a laptop's own GPIO chip is refused here
        except Exception as trouble:  # noqa: BLE001  (each library fails with errors of its own)
            log.info("No GPIO on this machine: %s", trouble)
            return None
    return Device.pin_factory


def open_devices(
    numbers: Mapping[str, int | None], factory: Any | None, make: Callable[[str, int], Any]
) -> tuple[dict[str, Any], Health]:
    """A device for each of these pins, and the health of all. If one pin fails, the others still work."""
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
        log.exception("The pin %s cannot be used for %s.", number, name)
        return None
