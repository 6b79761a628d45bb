"""A language in which every translated text has marks."""

from __future__ import annotations

import re
from gettext import NullTranslations

from core.plan.schedules import SCHEDULES
from core.plan.strategies import STRATEGIES
from tests.gui.catalogues import read_catalogue


class Marked(NullTranslations):
    """Puts marks around every text of the catalogue; a text without them is not in it."""

    def __init__(self) -> None:
        super().__init__()
        ids = [message.id for message in read_catalogue("ko")]
        self._known = {text for id in ids for text in ((id,) if isinstance(id, str) else id)}

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧" if message in self._known else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(super().ngettext(msgid1, msgid2, n))


PLANNED = "|".join(map(re.escape, (*STRATEGIES, *SCHEDULES)))
NAMES = re.compile(
    rf"""<[^>]*> | &nbsp; | \b(?:{PLANNED})(?![\w-]) | \b(?:
        (?:\dx)?(?:cpu|virtual)(?::\d)?(?:\ (?:comm|copy))? | auto | float\d+ | bfloat16
        | engine | torchrun | sgd | momentum | adamw? | [\w-]+\.arrow | Bubblescope
        | linear\d* | (?:kind|stage|lane|step|replica|block|bucket|task|name):(?:\S*)
    )""",
    re.VERBOSE,
)
"""Names that are the same in every language: devices, values, files, search keys."""


def is_bare(text: str) -> bool:
    """Return True for words outside of the marks that are not names, units or keys."""
    depth, outside = 0, []
    for sign in text:
        depth += (sign == "⟦") - (sign == "⟧")
        outside.append(sign if depth == 0 and sign != "⟧" else " ")
    return re.search(r"[A-Za-z]{3,}", NAMES.sub(" ", "".join(outside))) is not None
