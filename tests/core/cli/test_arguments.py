import argparse
import re
import shlex

from core.cli.arguments import GROUPS, make_parser
from core.cli.examples import EXAMPLES


def test_every_command_has_its_place_in_the_help_and_examples_that_it_takes():
    parser = make_parser()
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    assert set(commands.choices) == set(EXAMPLES)
    assert set(commands.choices) <= set(re.findall(r"[a-z]+", GROUPS))
    for name, examples in EXAMPLES.items():
        for example in examples:
            assert parser.parse_args(shlex.split(example)).command == name
            assert f"bubblescope {example}" in commands.choices[name].format_help()
