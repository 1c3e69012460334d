"""The window as a screen reader has it, over AT-SPI: its tree, as lines of JSON."""

import json

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

APP = "sightline-desktop"
STATES = {
    "checked": Atspi.StateType.CHECKED,
    "expanded": Atspi.StateType.EXPANDED,
    "focusable": Atspi.StateType.FOCUSABLE,
    "focused": Atspi.StateType.FOCUSED,
}


def announce():
    """Says that somebody reads the screen, as a screen reader does when it starts."""
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    change = GLib.Variant("(ssv)", ("org.a11y.Status", "IsEnabled", GLib.Variant("b", True)))
    bus.call_sync(
        "org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties", "Set", change, None, 0, -1
    )


def text_of(node):
    if "Text" not in (node.get_interfaces() or []):
        return ""
    return Atspi.Text.get_text(node, 0, -1).replace("\ufffc", "").strip()


def told(node, depth):
    attributes = node.get_attributes() or {}
    states = node.get_state_set()
    return {
        "depth": depth,
        "role": node.get_role_name(),
        "name": node.get_name(),
        "text": text_of(node),
        "level": attributes.get("level", ""),
        "landmark": attributes.get("xml-roles", ""),
        "live": attributes.get("live", ""),
        "place": [attributes.get("posinset", ""), attributes.get("setsize", "")],
        "states": [word for word, state in STATES.items() if states.contains(state)],
    }


def walk(node, depth=0):
    print(json.dumps(told(node, depth)), flush=True)
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        # One that goes meanwhile is not there any more.
        if child is not None:
            walk(child, depth + 1)


def apps():
    desktop = Atspi.get_desktop(0)
    all_apps = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
    return [app for app in all_apps if app is not None and app.get_name() == APP]


def tree():
    for app in apps():
        walk(app)


announce()
tree()
