import argparse
import re
import shlex

import pytest

from bubblescope.cli.arguments import GROUPS, make_parser
from bubblescope.cli.examples import EXAMPLES


def test_every_command_has_its_place_in_the_help_and_examples_that_it_takes():
    parser = make_parser()
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    assert set(commands.choices) == set(EXAMPLES)
    assert set(commands.choices) <= set(re.findall(r"[a-z]+", GROUPS))
    for name, examples in EXAMPLES.items():
        for example in examples:
            assert parser.parse_args(shlex.split(example)).command == name
            assert f"bubblescope {example}" in commands.choices[name].format_help()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run --nnodes 2", "--nnodes 2 has no effect here; add --launcher torchrun"),
        ("run --node-rank 3", "--node-rank 3 has no effect here; add --launcher torchrun"),
        ("run --rdzv-endpoint foo", "--rdzv-endpoint 'foo' has no effect here; add --launcher"),
        ("run --figure slide", "--figure 'slide' has no effect here; add --image FILE"),
        ("run --no-title", "--no-title has no effect here; add --image FILE"),
        ("predict --title Mine", "--title 'Mine' has no effect here; add --image FILE"),
        ("predict --no-hatching", "--no-hatching has no effect here; add --image FILE"),
        ("export a.arrow --table a.csv --lanes 0", "--lanes '0' has no effect here; add --image"),
        ("export a.arrow --image a.png --where=mb:1", "--where 'mb:1' has no effect here; add --t"),
        ("export a.arrow --sort name", "--sort 'name' has no effect here; add --table FILE"),
        ("sweep --theme dark", "--theme 'dark' has no effect here; add --image FILE"),
        ("compare a b --theme dark --report r.html", "--theme 'dark' has no effect here; add --im"),
        ("compare a b --align 0F0", "'0F0' has no effect here; add --image FILE or --report FILE"),
        ("compare a b --summary s.json --scale fit", "--scale 'fit' has no effect here; add --im"),
    ],
)
def test_an_option_is_refused_by_name_without_the_option_that_it_needs(capsys, words, said):
    with pytest.raises(SystemExit) as end:
        make_parser().parse_args(shlex.split(words))
    told = capsys.readouterr().err
    assert end.value.code == 2 and said in told and told.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        "run --launcher torchrun --nnodes 2 --node-rank 1 --rdzv-endpoint a:1",
        "run --nnodes 1 --theme light",
        "export a.arrow --image a.svg --table a.csv --lanes 0 --sort name --no-legend",
        "compare a b --image a.svg --theme dark --align 0F0",
        "compare a b --report r.html --align 0F0 --scale fit",
    ],
)
def test_an_option_is_accepted_with_the_option_that_it_needs(words):
    assert make_parser().parse_args(shlex.split(words)).command == words.split()[0]


@pytest.mark.parametrize(
    "words",
    [
        "plan --batch=--",
        "plan --devices=--",
        "run --lr=-- --steps 1",
        "plan --hiccup=--",
        "export a.arrow --image=--",
        "predict --costs=--",
        "sql --csv=-- a.arrow FROM+steps",
        "sql -- a.arrow --",
    ],
)
def test_two_dashes_in_place_of_a_value_are_refused_in_one_line(capsys, words):
    with pytest.raises(SystemExit) as end:
        make_parser().parse_args(words.split())
    told = capsys.readouterr().err
    assert end.value.code == 2 and told.count("\n") == 1
    assert "expected one argument" in told
