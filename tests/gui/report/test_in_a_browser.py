"""The page's timeline in a real browser, by mouse, wheel and keys; skipped without a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.recording.decode import append_batch
from core.trace.trace import Trace
from gui.report.run import write_run_report
from tests.make_believe import batches, specification

selenium = pytest.importorskip("selenium")

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.usefixtures("qapp"),
    pytest.mark.skipif(DRIVER is None, reason="needs Chromium and its chromedriver"),
]
EVIL = "</script><img src=x onerror=\"document.title='evil'\">"
WIDTH, HEIGHT = 1200, 900
FIRST_BAR = """
const [canvas, done] = arguments;
requestAnimationFrame(() => requestAnimationFrame(() => {
  const row = canvas.getContext("2d").getImageData(0, 40 * devicePixelRatio, canvas.width, 1).data;
  for (let at = 4 * Math.round(canvas.width / 5); at < row.length; at += 4) {
    if (row[at + 3] === 255) return done([...row.slice(at, at + 4)]);
  }
  done([0, 0, 0, 0]);
}));
"""
"""Returns the colour of the first bar next to the names after a change of the theme."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return Chromium without a window and without network."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", f"--window-size={WIDTH},{HEIGHT}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Any:
    """Return a report on a pipeline whose first lane has a name with code; it must be escaped."""
    spec = specification(devices="4xcpu", schedule="gpipe", steps=3)
    header, made = batches(spec)
    first, *others = header.lanes
    trace = Trace(replace(header, lanes=(replace(first, name=EVIL), *others)))
    for batch in made:
        append_batch(trace, batch)
    write_run_report(trace, tmp_path / "run.html")
    browser.get((tmp_path / "run.html").as_uri())
    figure = browser.find_element(By.CSS_SELECTOR, "figure.timeline")
    for _ in range(200):
        if figure.get_attribute("data-to"):
            return browser
    pytest.fail("the timeline does not come")


def shown(page: Any) -> tuple[int, int]:
    """Return the time on screen in ns, as the timeline shows it."""
    figure = page.find_element(By.CSS_SELECTOR, "figure.timeline")
    return int(figure.get_attribute("data-from")), int(figure.get_attribute("data-to"))


def canvas(page: Any) -> Any:
    return page.find_element(By.CSS_SELECTOR, "figure.timeline > canvas")


def at(page: Any, x: float, y: float) -> ActionChains:
    """Return mouse actions at a place on the canvas, from its upper left corner."""
    found = canvas(page)
    across, down = found.size["width"] / 2, found.size["height"] / 2
    return ActionChains(page, duration=0).move_to_element_with_offset(
        found, round(x - across), round(y - down)
    )


def test_bars_and_idle_time_have_descriptions(page: Any) -> None:
    tip = page.find_element(By.CSS_SELECTOR, ".tip")
    assert not tip.is_displayed()
    width = canvas(page).size["width"]
    told = set()
    for x in range(240, width - 4, 40):
        at(page, x, 22 + 5 + 13).perform()  # the first lane
        told.add(tip.text.split("\n")[0])
        assert not tip.text or EVIL in tip.text
    assert "Forward · stage 0 · micro-batch 0" in told and "Idle: other lane computes" in told
    assert page.title != "evil" and page.find_elements(By.TAG_NAME, "img") == []
    errors = [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"]
    assert errors == []


def test_the_wheel_zooms_about_the_mouse_and_a_drag_moves(page: Any) -> None:
    begin, end = shown(page)
    middle = canvas(page).size["width"] / 2
    at(page, middle, 60).perform()
    origin = ScrollOrigin.from_element(canvas(page))
    ActionChains(page).scroll_from_origin(origin, 0, -600).perform()
    closer = shown(page)
    assert begin <= closer[0] < closer[1] <= end and closer[1] - closer[0] < (end - begin) / 2
    at(page, middle, 60).click_and_hold().move_by_offset(-150, 0).release().perform()
    moved = shown(page)
    assert moved[0] > closer[0]
    assert moved[1] - moved[0] == pytest.approx(closer[1] - closer[0], abs=2)


def test_keys_and_buttons_zoom_and_move_too(page: Any) -> None:
    begin, end = shown(page)
    canvas(page).send_keys("+")
    half = shown(page)
    assert half[1] - half[0] == pytest.approx((end - begin) / 2, abs=2)
    canvas(page).send_keys(Keys.ARROW_RIGHT)
    assert shown(page)[0] > half[0]
    by_name = {b.get_attribute("title"): b for b in page.find_elements(By.TAG_NAME, "button")}
    by_name["Show all"].click()
    assert shown(page)[0] == 0 and shown(page)[1] > end - begin
    canvas(page).send_keys("+")
    by_name["Next step"].click()
    place = page.find_element(By.CSS_SELECTOR, ".place").text
    assert place == "step 3" and shown(page)[0] > begin


def test_the_timeline_is_drawn_in_the_theme_that_the_browser_prefers(page: Any) -> None:
    colours = []
    for theme in ("light", "dark"):
        wanted = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
        colours.append(page.execute_async_script(FIRST_BAR, canvas(page)))
    assert colours[0] != colours[1] and [colour[3] for colour in colours] == [255, 255]


def test_the_printed_timeline_is_light_even_if_the_screen_is_dark(page: Any) -> None:
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    seen = []
    for happens in ("", "beforeprint", "afterprint"):
        page.execute_script("arguments[0] && dispatchEvent(new Event(arguments[0]))", happens)
        seen.append(page.execute_async_script(FIRST_BAR, canvas(page)))
    light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
    seen.append(page.execute_async_script(FIRST_BAR, canvas(page)))
    assert seen[0] == seen[2] != seen[1] == seen[3]


def test_names_have_tooltips_and_the_wheel_scrolls_the_page_if_the_timeline_shows_all(
    page: Any,
) -> None:
    at(page, 10, 22 + 5 + 13).perform()
    assert page.find_element(By.CSS_SELECTOR, ".tip").text.split("\n")[0] == EVIL
    canvas(page).send_keys(Keys.HOME)
    assert page.find_element(By.CSS_SELECTOR, ".place").text == "step 1 – step 3"
    page.execute_script("scrollTo(0, 0)")
    whole = shown(page)
    ActionChains(page).scroll_from_origin(ScrollOrigin.from_element(canvas(page)), 0, 300).perform()
    for _ in range(100):
        if page.execute_script("return scrollY"):
            break
    assert page.execute_script("return scrollY") > 0 and shown(page) == whole
