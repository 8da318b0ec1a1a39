"""Chromium, driven by its own protocol: one page at a time, with what it complains of."""

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request

import websocket

PATIENCE = 20


class Browser:
    """A Chromium of its own, without a window; ends with close()."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-default-apps", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--remote-debugging-port=0", "--remote-allow-origins=*",
                "--user-data-dir=" + self.folder.name, "about:blank",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        place = os.path.join(self.folder.name, "DevToolsActivePort")
        wait("the browser", lambda: os.path.exists(place) and os.path.getsize(place) > 0)
        with open(place, encoding="utf-8") as file:
            self.port = int(file.readline())

    def page(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return Page(json.load(answer)["webSocketDebuggerUrl"])

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # Its helpers may write to the folder for a moment longer.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        wait("an empty folder", self.is_cleared)

    def is_cleared(self):
        try:
            self.folder.cleanup()
        except OSError:
            return False
        return True


def wait(what, is_there):
    """Until something is so; a deadline ends it, no pause decides it."""
    end = time.monotonic() + PATIENCE
    while True:
        found = is_there()
        if found:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come in {PATIENCE} s")
        time.sleep(0.02)


class Page:
    """A tab."""

    def __init__(self, address):
        self.socket = websocket.create_connection(address, timeout=PATIENCE)
        self.number = 0
        self.complaints = []
        self.is_loaded = False
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.is_loaded = True
        elif method == "Runtime.exceptionThrown":
            self.complaints.append("exception: " + parameters["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.complaints.append("console: " + str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            entry = parameters["entry"]
            self.complaints.append(f"log: {entry['text']} {entry.get('url', '')}")

    def pump(self):
        """Reads what has come, without an answer to wait for."""
        self.call("Runtime.evaluate", expression="1")

    def go(self, url):
        self.is_loaded = False
        self.call("Page.navigate", url=url)
        self.loaded()
        # A page that was on its way before may have been loaded first.
        wait(url, lambda: self.js("document.readyState === 'complete' && location.href !== 'about:blank'"))

    def loaded(self):
        def is_so():
            self.pump()
            return self.is_loaded
        wait("the page", is_so)

    def js(self, expression):
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def follow(self, expression):
        """Does what leads to another page, and waits for that."""
        self.is_loaded = False
        self.js(expression)
        self.loaded()

    def click(self, selector, text=None):
        """Follows the first link or button of a selector that has the text."""
        found = self.js(f"""(() => {{
            const all = [...document.querySelectorAll({json.dumps(selector)})];
            const one = all.find((e) => {json.dumps(text)} === null || e.textContent.trim() === {json.dumps(text)});
            if (!one) return false;
            one.scrollIntoView(); setTimeout(() => one.click(), 0); return true;
        }})()""")
        if not found:
            raise AssertionError(f"{selector} {text or ''} is not on {self.js('location.href')}")
        self.is_loaded = False
        self.loaded()

    def press(self, key, text=None, shift=False):
        code = {"Tab": 9, "Enter": 13}.get(key, 0)
        extra = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code,
                  modifiers=8 if shift else 0, **extra)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def scripts(self, are_on):
        self.call("Emulation.setScriptExecutionDisabled", value=not are_on)

    def picture(self, path):
        import base64
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))
