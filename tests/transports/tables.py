"""The tables of the page, with the rows that the tests have."""

from publish.git import process
from tests.transports.addresses import ADDRESSES
from tests.transports.page import Table
from tests.transports.refusals import REFUSALS
from tests.transports.setups import SETUPS
from tests.transports.world import WITH, WITHOUT

ADDRESSES_TITLE = "Addresses"
SETUPS_TITLE = "What you have set up"
REFUSALS_TITLE = "When there is nobody to ask"
SECRETS_TITLE = "Where a password or token can be seen"
# How a test gives a password, and how the page calls that.
GIVEN = {
    "in_address": "in the address given to `team create`",
    "in_query": "in its query, as `?private_token=…`",
    "in_store": "`~/.git-credentials`",
    "in_netrc": "`~/.netrc`",
    "by_askpass": "`GIT_ASKPASS`",
    "in_header": "`http.extraHeader` in `~/.gitconfig`",
    "in_malformed_header": "`http.extraHeader` without a blank after the colon",
    "in_environment": "`http.extraHeader` through `GIT_CONFIG_COUNT`",
    "in_rewriting": "in the base of a `url.<base>.insteadOf`",
    "in_proxy": "in the address of `http.proxy`",
}
LIMITS_TITLE = "When the remote falls silent"
# The moments at which a test has a remote fall silent, and how the page calls them.
MOMENTS = {
    "connect": "does not take the connection",
    "words": "stops inside its first words",
    "fetching": "stops inside a pack that is fetched",
    "pushing": "stops taking a pack that is pushed",
}
OVER = {"http": "http", "git": "git://", "ssh": "ssh"}
PLACES = (
    "state and mirror",
    "commits",
    "output, with `--debug`",
    "process titles",
    "environment of processes",
)

TABLES = (
    Table(
        ADDRESSES_TITLE,
        "The port of every server was none of the usual ones. Without git, one member did it all.",
        ("address", "who lets you in"),
        (WITH, WITHOUT),
        tuple(row.name for row in ADDRESSES),
    ),
    Table(
        SETUPS_TITLE,
        "In each row the setting was the only thing that let the work succeed: one member created "
        "a team, published and synced.",
        ("setting", "over"),
        (WITH, WITHOUT),
        tuple(row.name for row in SETUPS),
    ),
    Table(
        REFUSALS_TITLE,
        "Each ended by itself, and wrote nothing on the terminal that it could have reached.",
        ("situation",),
        (WITH, WITHOUT),
        tuple(row.name for row in REFUSALS),
    ),
    Table(
        LIMITS_TITLE,
        f"A step that says nothing for {process.SILENCE_SECONDS:.0f} s is ended, with everything "
        f"that it started; so is one that takes {process.STEP_SECONDS:.0f} s in all, and a first "
        f"fetch that takes {process.FIRST_FETCH_SECONDS / 60:.0f} minutes. To connect, ssh and we "
        f"ourselves take {process.CONNECT_SECONDS:.0f} s at most. The tests wait for less.",
        ("the remote", "over"),
        (WITH, WITHOUT),
        tuple((text, over) for text in MOMENTS.values() for over in OVER.values()),
    ),
    Table(
        SECRETS_TITLE,
        "A team was created, a skill published, and unpublishing made to fail. At every request to "
        "the server all processes were looked at, but for `receipts` itself, whose title and "
        "environment are as you made them; no key of an agent (`ANTHROPIC_…`, `OPENAI_…`) was "
        "handed to any.",
        ("given",),
        tuple(f"**{place}**" for place in PLACES),
        tuple((text,) for text in GIVEN.values()),
    ),
)
