"""A visitor of a page without a browser: it speaks viser's language over the socket, and knows what a browser would show."""

from __future__ import annotations

import contextlib
import threading
import time

import msgspec
import viser
import websockets.exceptions
import zstandard
from websockets.sync.client import connect

PATIENCE = 30.0


class Visitor:
    """Connects as a page does; `gui` has its elements by their ids, `nodes` the scene, `told` the notifications."""

    def __init__(self, viewer, origin=None):
        self.gui, self.nodes, self.told, self.files = {}, {}, [], {}
        self.owner = self.ended = None
        self._socket = connect(
            viewer.url.replace("http", "ws"), subprotocols=[f"viser-v{viser.__version__}"], max_size=None, origin=origin,
            compression=None,
        )  # fmt: skip
        threading.Thread(target=self._listen, daemon=True).start()
        with contextlib.suppress(websockets.exceptions.ConnectionClosed):  # by a server that lets nobody in
            self.send(
                type="ViewerCameraMessage", wxyz=(1.0, 0.0, 0.0, 0.0), position=(5.0, 0.0, 2.0), fov=0.9, near=0.01, far=1000.0,
                image_height=600, image_width=800, look_at=(0.0, 0.0, 1.0), up_direction=(0.0, 0.0, 1.0),
            )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()

    def send(self, **message):
        self._socket.send(msgspec.msgpack.encode(message))

    # --- what it sees --------------------------------------------------------------------------------------------------

    def _listen(self):
        try:
            for raw in self._socket:
                size = int.from_bytes(raw[8:16], "little")
                inner = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(raw[16 : 16 + size], 1 << 28))
                for message in inner["messages"]:
                    self._take(message)
        except websockets.exceptions.ConnectionClosed:
            pass
        finally:
            self.ended = self._socket.protocol.close_rcvd

    def _take(self, message):
        kind = message["type"]
        if message.get("owner"):
            self.owner = message["owner"]
        if kind == "GuiUpdateMessage" and message["uuid"] in self.gui:
            self.gui[message["uuid"]].update(message["updates"])
        elif kind == "GuiRemoveMessage":
            self.gui.pop(message["uuid"], None)
        elif kind.startswith("Gui") and "props" in message:
            self.gui[message["uuid"]] = {"type": kind, "value": message.get("value"), **message["props"]}
        elif kind == "RegisterCommandMessage":
            self.gui[message["uuid"]] = {"type": kind, **message["props"]}
        elif kind in ("SetPositionMessage", "SetOrientationMessage", "SetSceneNodeVisibilityMessage"):
            what = {"SetPositionMessage": "position", "SetOrientationMessage": "wxyz"}.get(kind, "visible")
            self.nodes.setdefault(message["name"], {})[what] = message.get(what, message.get("visibility"))
        elif kind == "SceneNodeUpdateMessage":
            self.nodes.setdefault(message["name"], {}).update(message["updates"])
        elif kind == "RemoveSceneNodeMessage":
            gone = [name for name in self.nodes if name == message["name"] or name.startswith(message["name"] + "/")]
            for name in gone:
                self.nodes.pop(name)
        elif kind == "NotificationShowMessage":
            self.told.append(f"{message['props']['title']}: {message['props']['body']}")
        elif kind == "FileTransferPart":
            self.files.setdefault(message["transfer_uuid"], []).append(message["content"])
        elif "name" in message and "props" in message:
            self.nodes[message["name"]] = {"type": kind, **message["props"]}

    def element(self, label, kind=""):
        """The id of an element, by its label, as soon as it is there."""

        def found():
            return next((u for u, one in list(self.gui.items()) if one.get("label") == label and kind in one["type"]), None)

        return until(found)

    def __getitem__(self, label):
        return self.gui[self.element(label)]

    @property
    def html(self):
        """All that is told in the panels."""
        return "\n".join(one["content"] for one in list(self.gui.values()) if one["type"] == "GuiHtmlMessage")

    # --- what it does --------------------------------------------------------------------------------------------------

    def put(self, label, value, kind=""):
        """Press a button, move a slider, choose from a list; the server does not say it back."""
        uuid = self.element(label, kind)
        self.gui[uuid]["value"] = value
        self.send(type="GuiUpdateMessage", uuid=uuid, updates={"value": value})

    def press(self, label):
        self.put(label, True, "Button")

    def trigger(self, label):
        self.send(type="CommandTriggerMessage", uuid=self.element(label, "RegisterCommand"))

    def click(self, node, modifier=None, origin=(5.0, 0.0, 2.0), direction=(-1.0, 0.0, 0.0)):
        self.send(
            type="SceneNodeClickMessage", name=node, instance_index=None, ray_origin=origin, ray_direction=direction,
            screen_pos=(0.5, 0.5), modifier=modifier, owner=self.owner,
        )  # fmt: skip

    def drag(self, node, phase, start, end, modifier=None):
        self.send(
            type="SceneNodeDragMessage", phase=phase, name=node, instance_index=None, start_position=[float(x) for x in start],
            start_screen_pos=(0.5, 0.5), end_position=[float(x) for x in end], end_screen_pos=(0.5, 0.5), button="left",
            modifier=modifier, owner=self.owner,
        )  # fmt: skip


def until(condition, patience=PATIENCE):
    """What a condition gives as soon as it gives something."""
    end = time.monotonic() + patience
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)
