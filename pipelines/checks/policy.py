"""The policy: [policy]."""

from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import LineNumbers
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.difficulty.prompt_styles import PLAIN, reasons
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.pipelines.checks import Where
from puzzlemill.trainer.settings import Train, Training

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def check(recipe: "Recipe", places: LineNumbers) -> None:
    where = places.within("policy").of
    kind, needs = kind_of(recipe.policy), f"a policy of kind {recipe.policy.kind} needs"
    if kind.model and not recipe.policy.model:
        raise UserError(f"{where('kind')}: {needs} `model`")
    if kind.url and not recipe.policy.url:
        raise UserError(f"{where('kind')}: {needs} `url`, such as http://localhost:8000/v1")
    _check_prompts(recipe.policy, recipe.train, where)


def _check_prompts(policy: PolicySettings, settings: Training, where: Where) -> None:
    """What a prompt style goes with."""
    if not isinstance(settings, Train):
        for name, usual in (("style", PLAIN), ("system", "")):
            if getattr(policy, name) != usual:
                raise UserError(
                    f"{where(name)}: {name} is for items, and games have prompts of their own:"
                    f" leave {name} out"
                )
    elif not reasons(policy.style):
        if settings.warm.steps and settings.warm.source == "solutions":
            raise UserError(
                f'{where("style")}: style = "{policy.style}" asks for no reasoning, and'
                ' [train.warm] imitates solutions that reason: set source = "replies", or another'
                " style"
            )
        if settings.imitate.weight:
            raise UserError(
                f'{where("style")}: style = "{policy.style}" asks for no reasoning, and'
                " [train.imitate] imitates solutions that reason: leave it out, or set another"
                " style"
            )
