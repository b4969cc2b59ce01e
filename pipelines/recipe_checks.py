"""What settings of a recipe say of each other, and of the families and games that there are.

What one field says of itself stands in its annotation, and is held when its table is read.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf

from puzzlemill.core.address import check_split
from puzzlemill.core.errors import UserError, unknown
from puzzlemill.core.family import wording
from puzzlemill.core.knobs import WORDING, turned
from puzzlemill.core.registry import family, game, games, matching, operator
from puzzlemill.core.tables import LineNumbers, needs_of
from puzzlemill.difficulty.prompt_styles import PLAIN, reasons
from puzzlemill.difficulty.settings import PolicySettings, Regenerate, Score
from puzzlemill.filters.settings import Filters
from puzzlemill.pipelines.row_filters import also_of
from puzzlemill.pipelines.settings import Make
from puzzlemill.pipelines.teaching_checks import check_teaching
from puzzlemill.trainer.settings import Balance, Train, Training
from puzzlemill.trainer.settings.games import Play, is_folder
from puzzlemill.trainer.settings.losses import Loss, TokenLoss
from puzzlemill.trainer.settings.turns import Retry

ESTIMATE = 8  # replies from which DARS estimates a pass rate

Where = Callable[[str], str]  # in the file a word stands


def check_make(part: Make, where: Where) -> None:
    if not part.families:
        raise UserError(f"{where('families')}: families is empty: name what is to be made")
    check_split(part.split, where("split"))
    for each in part.variants:
        if each != "*":
            operator(each, where(each))
    varied = bool(part.variants) or any("+" in pattern for pattern in part.families)
    worded = [wording(each, where(WORDING)) for each in ({WORDING: part.phrasings}, part.knobs)]
    if any(worded) and varied:
        raise UserError(
            f"{where(WORDING)}: variants choose their own wording: give them a [[make]] table"
            " without phrasings"
        )
    for pattern in part.families:
        for name in matching(pattern, where(pattern)):
            found = family(name)
            for knob in part.knobs:
                turned(found.at(0), found.ladder, {knob: part.knobs[knob]}, where(knob))


def check_difficulty(
    score: Score, filters: Filters, regenerate: Regenerate, places: LineNumbers
) -> None:
    """What is said of scoring, filters and regeneration."""
    asked, again = places.within("score").of, places.within("regenerate").of
    if score.first > score.most:
        raise UserError(
            f"{asked('first')}: first = {score.first} is more than most = {score.most}; raise most"
        )
    _check_rounds(score, asked)
    _check_hardness(score, asked)
    _check_gate(score, asked)
    bands = {name: getattr(filters, name) for name in ("band", "weak", "strong")}
    named = [("filters", *each) for each in bands.items()]
    for section, name, (low, high) in (*named, ("regenerate", "band", regenerate.band)):
        if not 0 <= low < high <= 1:
            where = places.within(section).of(name)
            raise UserError(f"{where}: the band {low}..{high} of {section} is no part of 0..1")
    density = regenerate.density
    if density and (min(density) < 0 or not sum(density)):
        raise UserError(f"{again('density')}: density is a list of weights of 0 or more, not all 0")
    _check_hints(score.hints, asked)
    also_of(filters.also, places.within("filters"))


def _check_rounds(score: Score, where: Where) -> None:
    """Without rounds there are no replies: what works on them has no effect."""
    if score.rounds:
        return
    for name in ("gate", "probe", "keep_replies", "guesses", "hints", "gains", "search"):
        if getattr(score, name):
            raise UserError(
                f"{where(name)}: rounds = 0 asks for no reply, so {name} has no effect: leave it"
                " out, or set rounds above 0"
            )


def _check_hardness(score: Score, where: Where) -> None:
    """DARS: from too few first replies, or with no room for more, nothing would be asked again."""
    if score.until != "hardness":
        return
    if score.first < ESTIMATE:
        raise UserError(
            f'{where("until")}: until = "hardness" estimates each pass rate from the first replies,'
            f" and first = {score.first} is too few: set first = {ESTIMATE} or more"
        )
    if score.most == score.first or score.rounds < 2:
        raise UserError(
            f'{where("until")}: until = "hardness" asks hard items again, in a second round: set'
            f" most above first = {score.first}, and rounds above 1"
        )


def _check_gate(score: Score, where: Where) -> None:
    """A gate takes a round of its own: the sample is asked first."""
    least = 3 if score.until == "hardness" else 2
    if score.gate and score.rounds < least:
        raise UserError(
            f"{where('gate')}: gate asks a sample in the first round and other items in the second:"
            f" set rounds = {least} or more"
        )


def _check_hints(shares: Sequence[float], where: Where) -> None:
    if any(not 0 < share < 1 for share in shares):
        raise UserError(f"{where('hints')}: each hint is a share of the solution between 0 and 1")


def check_training(settings: Training, places: LineNumbers) -> None:
    """What holds of items and of games."""
    where = places.of
    if settings.loss.ratio == "nft" and not isinstance(settings, Train):
        raise UserError(
            f'{places.within("train.loss").of("ratio")}: ratio = "nft" needs the pass rate of a'
            " group, and games have none: set another ratio"
        )
    if (settings.sampler == "server") != bool(settings.server):
        raise UserError(
            f'{where("server")}: sampler = "server" and the address of a server go together:'
            ' server = "http://127.0.0.1:8000/v1"'
        )
    _check_loss(settings.loss, settings.lora.rank > 0, places.within("train.loss").of)


def check_prompts(policy: PolicySettings, settings: Training, where: Where) -> None:
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


def check_items(settings: Train, places: LineNumbers) -> None:
    """What holds of learning from items."""
    where, reward, loss = places.of, settings.reward, settings.loss
    for pattern in settings.unseen:
        matching(pattern, where("unseen"))
    _check_hints(settings.hints, where)
    if reward.paid_wrong + reward.refused_right >= 0.5:
        raise UserError(f"{where('reward')}: a verifier that errs so often tells nothing")
    if reward.noise == "forward" and loss.advantage != "raw":
        raise UserError(
            f'{where("reward")}: noise = "forward" shifts all rewards alike, which advantage ='
            f' "{loss.advantage}" takes off again: set [train.loss] advantage = "raw"'
        )
    if reward.error_rates == "families" and settings.source != "build":
        raise UserError(
            f'{where("reward")}: error_rates = "families" reads them from a build: set source ='
            ' "build", or paid_wrong and refused_right'
        )
    if settings.extra and settings.extra <= settings.group:
        raise UserError(
            f"{where('extra')}: extra = {settings.extra} replies at most are no more than the group"
            f" of {settings.group}: set a larger one"
        )
    replies = settings.demonstrations.number and settings.demonstrations.source == "replies"
    kept_on = settings.replay or replies or settings.oversample > 1 or settings.prefixes.share
    if settings.staleness and not kept_on:
        raise UserError(
            f"{where('staleness')}: staleness has an effect only where replay is above 0,"
            " oversample above 1, [train.prefixes] is on or [train.demonstrations] source ="
            ' "replies": leave staleness out, or set one of them'
        )
    if settings.source == "endless" and settings.prune:
        raise UserError(
            f'{where("prune")}: with source = "endless" no item is asked twice, so prune has no'
            ' effect: leave prune out, or set source = "build"'
        )
    if settings.learn_behind == "plain" and not (settings.hints or settings.scaffold.share):
        raise UserError(
            f'{where("learn_behind")}: learn_behind = "plain" has an effect only with hints: set'
            " `hints` or [train.scaffold], or leave learn_behind out"
        )
    if loss.k >= settings.group and all(need.met(loss.advantage) for need in needs_of(Loss, "k")):
        raise UserError(
            f"{places.within('train.loss').of('k')}: k = {loss.k} is not below group ="
            f" {settings.group}: every reply would be worth the same; lower k"
        )
    _check_retry(settings.retry, loss, places.within("train.retry").of)
    _check_refinements(settings, places.within("train.retry").of)
    _check_rethink(settings, places.within("train.rethink").of)
    check_teaching(settings, places)
    _check_demonstrations(settings, places.within("train.demonstrations").of)
    _check_prefixes(settings, places.within("train.prefixes").of)
    _check_process(settings, places.within("train.process").of)
    if settings.verify.solving_steps and (settings.tries > 1 or settings.demonstrations.number):
        raise UserError(
            f"{places.within('train.verify').of('solving_steps')}: single replies of the policy's"
            " own are verified: leave `tries` and `demonstrations` out, or `verify`"
        )
    _check_self_reward(settings, places.within("train.self_reward").of)
    for group in settings.balance.groups:  # each may be the run's
        check_items(replace(settings, group=group, balance=Balance()), places)


def check_votes(settings: Train, make: Sequence[Make], where: Where) -> None:
    varied = any(part.variants or any("+" in each for each in part.families) for part in make)
    if settings.reward.vote == "partner" and make and not varied:
        raise UserError(
            f'{where("vote")}: vote = "partner" labels an item by another wording of it, and'
            ' none is made: set variants = ["paraphrase"] in a [[make]] table, or vote = "own"'
        )
    several = any(
        "+claim+" in each or (each.endswith("+claim") and part.variants)
        for part in make
        for each in part.families
    )
    if settings.reward.forms and make and not several:
        raise UserError(
            f"{where('forms')}: forms = true scores the forms of a claim together, and none are"
            ' made: set families = ["gcd+claim"] and variants = ["paraphrase", "counterclaim"] in a'
            " [[make]] table, or leave forms out"
        )


def _check_retry(retry: Retry, loss: Loss, where: Where) -> None:
    if retry.decay <= 0:
        raise UserError(f"{where('decay')}: decay = 0 leaves a second try without worth")
    if not retry.feedback.strip():
        raise UserError(f"{where('feedback')}: say in a few words that a reply was not right")
    if not retry.review.strip():
        raise UserError(f"{where('review')}: say in a few words that a reply is to be checked")
    if retry.first_kl and not (loss.kl and loss.kl_in == "loss"):
        raise UserError(
            f"{where('first_kl')}: first_kl has an effect only where [train.loss] kl is above 0 and"
            ' kl_in is "loss": set them, or leave first_kl out'
        )


def _check_refinements(settings: Train, where: Where) -> None:
    """First replies and refinements are single replies: nothing is learned of conversations."""
    retry, usual = settings.retry, Retry()
    if not retry.refinements:
        return
    for name in ("decay", "repeated", "by_try", "anchor"):
        if getattr(retry, name) != getattr(usual, name):
            raise UserError(
                f"{where(name)}: {name} is of conversations, and with refinements = "
                f"{retry.refinements} single replies are learned: leave one of them out"
            )
    for name, value in (
        ("extra", settings.extra),
        ("self_imitation", settings.self_imitation.replies),
    ):
        if value:
            raise UserError(
                f"{where('refinements')}: refinements go with no replies of [train] {name}: leave"
                " one of them out"
            )


def _check_rethink(settings: Train, where: Where) -> None:
    if not settings.rethink.share:
        return
    if settings.tries > 1:
        raise UserError(f"{where('share')}: rethinking is one try: leave `tries` or `rethink` out")
    if settings.sampler != "itself":
        raise UserError(
            f'{where("share")}: sampler = "{settings.sampler}" cannot go on with a reply: set'
            ' sampler = "itself", or leave `rethink` out'
        )
    if settings.scaffold.share:
        raise UserError(
            f"{where('share')}: with [train.scaffold] each reply has a prompt of its own, and there"
            " is no share of a group to rethink: leave one of both out"
        )
    if not settings.rethink.trigger.strip():
        raise UserError(f"{where('trigger')}: say in a few words what a reply goes on behind")


def _check_demonstrations(settings: Train, where: Where) -> None:
    chosen = settings.demonstrations
    if chosen.number > 1 and chosen.source == "solutions":
        raise UserError(
            f"{where('number')}: a family tells one worked solution of an item: set number = 1, or"
            " another source"
        )
    if chosen.number and chosen.source == "replies" and settings.source == "endless":
        raise UserError(
            f'{where("source")}: with [train] source = "endless" no item is asked twice, so there'
            ' are no earlier replies to it: set [train] source = "build", or another source here'
        )


def _check_prefixes(settings: Train, where: Where) -> None:
    if not settings.prefixes.share:
        return
    if settings.tries > 1:
        raise UserError(f"{where('share')}: a prefix is of one try: leave `tries` or this out")
    if settings.sampler != "itself":
        raise UserError(
            f'{where("share")}: sampler = "{settings.sampler}" cannot go on with a reply: set'
            ' sampler = "itself", or leave [train.prefixes] out'
        )


def _check_process(settings: Train, where: Where) -> None:
    process = settings.process
    if not process.values:
        return
    if settings.tries > 1 or settings.rethink.share or settings.feedback.share:
        raise UserError(
            f"{where('values')}: steps are those of one reply: leave `tries`, `rethink` and"
            " `feedback` out, or `process`"
        )
    own = process.values == "gain" or (process.values != "progress" and not process.prover)
    if own and settings.sampler != "itself":
        raise UserError(
            f'{where("values")}: values = "{process.values}" reads the policy\'s model or goes on'
            f' with its replies, which sampler = "{settings.sampler}" does not: set sampler ='
            ' "itself", or values = "progress"'
        )
    if process.credit == "capo" and process.outcome <= process.weight:
        raise UserError(
            f"{where('outcome')}: outcome = {process.outcome:g} is no more than weight ="
            f" {process.weight:g}: a right reply could be worth less than a wrong one; raise it"
        )


def _check_self_reward(settings: Train, where: Where) -> None:
    if not settings.self_reward.weight:
        return
    if settings.teacher.model:
        raise UserError(
            f"{where('weight')}: the token of the self-reward has no teacher: leave [train.teacher]"
            " or this out"
        )
    if settings.loss.ratio in ("gspo", "luspo"):
        raise UserError(
            f'{where("weight")}: ratio = "{settings.loss.ratio}" is of whole replies, and the token'
            " of the self-reward would be taken for a part of them: set another ratio"
        )


def _check_loss(loss: TokenLoss, adapters: bool, where: Where) -> None:
    if loss.dual and loss.dual <= 1:
        raise UserError(f"{where('dual')}: dual = {loss.dual} is not above 1; 0 turns it off")
    if loss.least > loss.most:
        raise UserError(f"{where('least')}: least = {loss.least} is above most = {loss.most}")
    if loss.ratio == "luspo" and loss.mean != "replies":
        raise UserError(
            f'{where("ratio")}: ratio = "luspo" has the length of each reply in its loss: set'
            ' mean = "replies"'
        )
    if loss.open_share <= 0:
        raise UserError(f"{where('open_share')}: open_share = 0 leaves no tokens to learn from")
    if adapters and (loss.reference_every or loss.reference_kept < 1):
        name = "reference_every" if loss.reference_every else "reference_kept"
        raise UserError(
            f"{where(name)}: with [train.lora] the reference is a checkpoint, or the model without"
            " its adapters, and stays that"
        )


def check_play(play: Play, where: Where) -> None:
    """What holds of learning from games."""
    if not play.games:
        raise UserError(f"{where('games')}: name the `games` to play, such as {games()[-1]!r}")
    for name in play.games:
        if name not in games():
            raise unknown("game", name, games(), where(name))
    for rivals, more in ((tuple(play.opponents), "|self"), (play.against, "")):
        for name in rivals:
            if not re.fullmatch(rf"random|minimax-[1-9]\d?{more}", name) and not is_folder(name):
                there = "there are: random, minimax-1, minimax-2, …" + (more and ", self")
                there += ", or a checkpoint's folder, with a / in its name"
                raise UserError(f"{where(name)}: nobody to play against is {name!r}; {there}")
    shares = [*play.opponents.values()]
    if any(type(it) not in (int, float) or not 0 <= it < inf for it in shares) or not sum(shares):
        raise UserError(
            f"{where('opponents')}: the shares of opponents are numbers of 0 or more, not all 0"
        )
    hidden = [name for name in play.games if not game(name).open and game(name).players > 1]
    ahead = [name for name in play.opponents if name.startswith("minimax")]
    if hidden and ahead:
        raise UserError(
            f"{where(ahead[0])}: {ahead[0]} sees all of a state, but in {hidden[0]} something is"
            " hidden: play that game in a recipe of its own, against self or random"
        )
    judging = [name for name in play.games if game(name).is_judged is not None]
    if play.alternate.least and not judging:
        raise UserError(
            f"{where('least')}: alternate has an effect only on games with moves that are judged by"
            " themselves, such as spy: leave it out, or play such a game"
        )
    if play.alternate.least > play.alternate.most:
        raise UserError(
            f"{where('least')}: least = {play.alternate.least} is above most ="
            f" {play.alternate.most}: lower it"
        )
    if play.memory >= 1:
        raise UserError(f"{where('memory')}: memory is below 1: a baseline has to move")
