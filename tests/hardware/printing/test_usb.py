"""A USB printer: PyUSB on a simulated bus, with the strict receiver attached."""

import errno
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from usb import core
from usb.backend import libusb1 as libusb

from hardware.devices.health import Health
from hardware.printing.connections import PRINTING
from hardware.printing.printer import Printer
from referee.program import settings
from tests.support.hardware.escpos_receiver import CommandReader
from tests.support.hardware.sample_papers import SHEET

HUB, PRINTER = 9, 7  # classes of interfaces


def descriptor(kind: int, **fields: Any) -> SimpleNamespace:
    return SimpleNamespace(bLength=9, bDescriptorType=kind, extra_descriptors=[], **fields)


class Bus:
    """A USB bus as PyUSB sees it: what is plugged in, and what is written to it."""

    def __init__(self, *plugged: SimpleNamespace) -> None:
        self.plugged = plugged
        self.written = b""
        self.answers = b"\x12\x12\x12\x12"
        self.error: int | None = None
        self.patience: list[int] = []  # milliseconds for each answer

    def enumerate_devices(self) -> Any:
        return iter(self.plugged)

    def get_parent(self, _device: Any) -> None:
        return None

    def get_device_descriptor(self, device: Any) -> Any:
        return descriptor(
            1,
            bcdUSB=0x200,
            bDeviceClass=0,
            bDeviceSubClass=0,
            bDeviceProtocol=0,
            bMaxPacketSize0=64,
            idVendor=device.vendor,
            idProduct=device.product,
            bcdDevice=1,
            iManufacturer=0,
            iProduct=0,
            iSerialNumber=0,
            bNumConfigurations=1,
            address=1,
            bus=1,
            port_number=1,
            port_numbers=(1,),
            speed=2,
        )

    def get_configuration_descriptor(self, _device: Any, index: int) -> Any:
        if index:
            raise IndexError
        return descriptor(
            2,
            wTotalLength=0,
            bNumInterfaces=1,
            bConfigurationValue=1,
            iConfiguration=0,
            bmAttributes=0,
            bMaxPower=0,
        )

    def get_interface_descriptor(self, device: Any, interface: int, alternate: int, _config: int) -> Any:
        if interface or alternate:
            raise IndexError
        return descriptor(
            4,
            bInterfaceNumber=0,
            bAlternateSetting=0,
            bNumEndpoints=len(device.endpoints),
            bInterfaceClass=device.kind,
            bInterfaceSubClass=1,
            bInterfaceProtocol=2,
            iInterface=0,
        )

    def get_endpoint_descriptor(self, device: Any, index: int, *_where: int) -> Any:
        return descriptor(
            5,
            bEndpointAddress=device.endpoints[index],
            bmAttributes=2,
            wMaxPacketSize=64,
            bInterval=0,
            bRefresh=0,
            bSynchAddress=0,
        )

    def open_device(self, device: Any) -> Any:
        if self.error:
            raise core.USBError("refused", None, self.error)
        return device

    def close_device(self, _device: Any) -> None: ...

    def set_configuration(self, _device: Any, _value: int) -> None: ...

    def get_configuration(self, _device: Any) -> int:
        return 1

    def claim_interface(self, _device: Any, _interface: int) -> None: ...

    def release_interface(self, _device: Any, _interface: int) -> None: ...

    def reset_device(self, _device: Any) -> None: ...

    def bulk_write(self, device: Any, endpoint: int, _interface: int, data: Any, _timeout: int) -> int:
        assert endpoint == device.endpoints[1]
        self.written += bytes(data)
        return len(data)

    intr_write = iso_write = bulk_write

    def bulk_read(self, device: Any, endpoint: int, _interface: int, buffer: Any, timeout: int) -> int:
        assert endpoint == device.endpoints[0]
        self.patience.append(timeout)
        if not self.answers:
            raise core.USBTimeoutError("timed out", None, errno.ETIMEDOUT)
        buffer[0] = self.answers[0]
        self.answers = self.answers[1:]
        return 1

    intr_read = iso_read = bulk_read


def thing(kind: int = PRINTER, vendor: int = 0x0416, product: int = 0x5011) -> SimpleNamespace:
    return SimpleNamespace(kind=kind, vendor=vendor, product=product, endpoints=(0x81, 0x03))


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Any:
    """plug(device, …): these are the devices on the bus now."""

    def plug_in(*plugged: SimpleNamespace) -> Bus:
        bus = Bus(*plugged)
        monkeypatch.setattr(libusb, "get_backend", lambda: bus)
        return bus

    return plug_in


def test_a_sheet_over_usb_by_the_printers_own_endpoints(plug: Any) -> None:
    bus = plug(thing())
    printer = Printer(settings.PrinterSettings("usb", vendor=0x0416, product=0x5011))
    assert printer.print(SHEET) == Health(True, "ready")
    mechanism = CommandReader()
    mechanism.execute(BytesIO(bus.written).read, lambda _answer: None)
    assert "« Œuvre d’été »" in mechanism.slips[0].text
    assert bus.patience[-1] == PRINTING * 1000, "until all is on paper"


def test_without_numbers_any_printer_but_only_a_printer(plug: Any) -> None:
    bus = plug(thing(HUB, 0x1D6B, 2), thing())
    assert Printer(settings.PrinterSettings("usb")).print(SHEET).ok
    assert bus.written
    plug(thing(HUB, 0x1D6B, 2))
    assert Printer(settings.PrinterSettings("usb")).check() == Health(False, "offline")


def test_a_printer_that_is_well_is_not_reset_by_a_look_at_it(plug: Any) -> None:
    bus = plug(thing())
    printer = Printer(settings.PrinterSettings("usb"))
    printer.check()
    asked = bus.written
    assert printer.check() == Health(True, "ready")
    assert bus.written == asked


def test_a_usb_printer_that_never_answers_prints(plug: Any) -> None:
    bus = plug(thing())
    bus.answers = b""
    assert Printer(settings.PrinterSettings("usb")).print(SHEET) == Health(True, "silent")


def test_a_printer_that_we_may_not_use(plug: Any) -> None:
    plug(thing()).error = errno.EACCES
    assert Printer(settings.PrinterSettings("usb")).check() == Health(False, "no-access")


def test_no_usb_library_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for backend in ("libusb1", "libusb0", "openusb"):
        monkeypatch.setattr(f"usb.backend.{backend}.get_backend", lambda: None)
    assert Printer(settings.PrinterSettings("usb")).check() == Health(False, "no-driver")
