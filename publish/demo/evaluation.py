"""A first evaluation: its cases, its report, its receipt, the card, and who gets the receipt."""

import json
import shlex

from publish.demo import acting, changelog, model
from publish.demo.acting import Actor
from publish.demo.stage import DiffersError, Stage, write
from receipts.digest import content_digest
from receipts.scripted import Endpoint

NOTE = (
    "The model is played by a script inside this command: no key is needed, nothing is paid for.",
    "The numbers measure nothing real; they show what an evaluation looks like.",
)
_SHOWN = ("content_digest", "run_id", "verdict", "attribution", "comparisons")


def play(stage: Stage, actor: Actor) -> None:
    """Play the whole story; each line of it is one claim.

    Raises:
        DiffersError: A step differs from what is claimed.
    """
    with Endpoint(model.play) as endpoint:
        try:
            _play(stage, actor, endpoint.url)
        except DiffersError as error:
            if actor.name == acting.BUILT_IN:
                raise
            raise DiffersError(
                error.message,
                f"Perhaps this version of {actor.name} is too new for the script. "
                "Try receipts demo --eval --agent built-in.",
            ) from error


def _play(stage: Stage, actor: Actor, url: str) -> None:
    ada = stage.member("ada", "Ada Lovelace", **acting.environment(url))
    acting.configure_codex(ada.home, url)
    name = changelog.NAME
    skill = ada.home / "skills" / name

    stage.tell(*NOTE, f"The agent is {actor.title}. Everything else is as it always is.")
    stage.do(ada, "team create acme", "Created team acme as @ada")
    stage.tell("Ada has a skill, and publishes it. Nobody knows whether it is any good.")
    for path, text in changelog.SKILL.items():
        write(skill / path, text)
    digest = content_digest(skill)
    stage.do(ada, "library add skills", "skills")
    stage.do(ada, f"publish skills/{name}", "as Version 1 to the acme marketplace.")
    stage.card(ada, name, state="none", verdict=None, reason="nothing measured these bytes")

    stage.tell(
        "So she writes down what she wants to know: three cases, and prompts that should make an",
        "agent choose the skill. A case is a task, and what must be true afterwards. One of them:",
    )
    for path, text in changelog.EVALS.items():
        write(skill / path, text)
    stage.show(changelog.EVALS["evals/cases/release.yaml"])
    stage.tell(
        "Each case runs twice, each time in a folder of its own: without the skill (baseline)",
        "and with it (candidate). As these bytes are a version of the team's, the receipt goes",
        "there by itself. That takes some seconds.",
    )
    stage.do(
        ada,
        f"eval skills/{name} --agent {shlex.quote(actor.spec)} --model scripted",
        "verdict: PASS",
        "candidate-vs-baseline: +67% net lift (2W / 0L / 1T over 3 comparisons",
        "triggers: recall=1.00 precision=1.00 (tp=1 fn=0 fp=0 tn=1)",
        f"Published this receipt to acme for Version 1 of {name}.",
    )
    stage.tell("This is some of the receipt. It names the bytes that were measured:")
    receipt = stage.document(ada, f"show {name}")
    if receipt["content_digest"] != digest:
        raise DiffersError("The receipt is not of the bytes that were evaluated.")
    stage.show(json.dumps({field: receipt[field] for field in _SHOWN}, indent=2))
    stage.do(ada, f"digest skills/{name}", digest)
    stage.tell("The card of these bytes has a score now, on every machine of the team.")
    stage.card(ada, name, state="scored", verdict="PASS")
    stage.do(ada, "verify --team acme", "1 verified, 0 problems")
    stage.tell("But three cases are few, whatever came out. How much do they show?")
    stage.do(ada, f"show {name} --explain", "evidence, candidate-vs-baseline: none, from 3 rows")
