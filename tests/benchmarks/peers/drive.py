"""Opens a trace in a viewer that runs in headless Chromium, and zooms there; prints JSON.

    python drive.py PEERS TRACE tracing|speedscope

Run by the Python that has playwright (see fetch.sh). Times are the page's own: from asking for the
trace to the second frame after it was shown, and between frames of which each has zoomed.
"""

import functools
import http.server
import json
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
SIZE = {"width": 1600, "height": 900}
WAIT_MS = 240_000
FRAMES = 60
# Without these a frame takes at least a sixtieth of a second, however little there is to draw.
FLAGS = ["--no-sandbox", "--disable-frame-rate-limit", "--disable-gpu-vsync"]

HELPERS = """
window.frame = () => new Promise(done => requestAnimationFrame(done));
window.between = async (step, count) => {
    const times = [];
    for (let i = 0; i < count; i++) {
        const before = performance.now();
        step(i);
        await frame(); await frame();
        times.push(performance.now() - before);
    }
    return times;
};
"""
TRACING = """async ([url, frames]) => {
    const before = performance.now();
    await openTrace(url);
    await frame(); await frame();
    const first = performance.now() - before;
    const times = await between(i => zoom(i % 20 < 10 ? 0.9 : 1 / 0.9), frames);
    return {first, times};
}"""
SPEEDSCOPE = """async ([url, frames]) => {
    const canvas = document.querySelector("canvas");
    const box = canvas.getBoundingClientRect();
    const wheel = i => canvas.dispatchEvent(new WheelEvent("wheel", {
        deltaY: i % 20 < 10 ? -20 : 20, ctrlKey: true, bubbles: true, cancelable: true,
        clientX: box.x + box.width / 2, clientY: box.y + box.height / 2,
    }));
    return {times: await between(wheel, frames)};
}"""


class Server(http.server.ThreadingHTTPServer):
    """Serves the viewers and the trace on loopback."""

    def __init__(self, peers: Path, trace: Path) -> None:
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(peers)))
        self.trace = trace
        parts = (peers / "trace_viewer_full.html").read_text()
        self.tracing = (HERE / "tracing.html").read_text().replace("{parts}", parts)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of the peers' folder, the page made here, and the trace."""

    def do_GET(self) -> None:
        made = {"/tracing.html": lambda: self.server.tracing.encode(),
                "/trace.json": lambda: self.server.trace.read_bytes()}  # fmt: skip
        make = made.get(self.path.partition("?")[0])
        if make is None:
            super().do_GET()
            return
        data = make()
        self.send_response(200)
        kind = "text/html" if self.path.startswith("/tracing") else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def tracing(page, root: str) -> dict:
    page.goto(f"{root}/tracing.html")
    page.wait_for_function("window.ready", timeout=WAIT_MS)
    page.evaluate(HELPERS)
    return page.evaluate(TRACING, [f"{root}/trace.json", FRAMES])


def speedscope(page, root: str) -> dict:
    page.add_init_script(
        """window.began = performance.now();
        const shown = () => document.title.includes(" - speedscope")  // the loaded trace's name
        const look = () => shown()
            ? requestAnimationFrame(() => requestAnimationFrame(
                () => { window.first = performance.now() - window.began; }))
            : requestAnimationFrame(look);
        requestAnimationFrame(look);"""
    )
    url = f"{root}/speedscope/dist/release/index.html#profileURL={root}/trace.json"
    page.goto(url, timeout=WAIT_MS)
    page.wait_for_function("window.first", timeout=WAIT_MS)
    page.evaluate(HELPERS)
    return {"first": page.evaluate("window.first"),
            **page.evaluate(SPEEDSCOPE, ["", FRAMES])}  # fmt: skip


def main() -> None:
    peers, trace, viewer = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    server = Server(peers, trace)
    root = f"http://127.0.0.1:{server.server_address[1]}"
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(WAIT_MS)
        told = {"tracing": tracing, "speedscope": speedscope}[viewer](page, root)
        if len(sys.argv) > 4:
            page.screenshot(path=sys.argv[4])
        browser.close()
    server.shutdown()
    print(json.dumps(told))


main()
