"""The real agents, led to a scripted model."""

from collections.abc import Mapping
from pathlib import Path

from tests.parts import require_part

BIN = Path(__file__).parents[1] / "node" / "node_modules" / ".bin"
NAMES = ("claude", "codex")
KEY = "not-a-real-key-0123456789"
"""What logs the agents in; nothing may repeat it."""


def program(name: str) -> Path:
    """Return an agent's program, or skip the test without it."""
    found = BIN / name
    require_part(found.exists(), f"{name} from npm (npm ci --prefix tests/node)")
    return found


def variables(url: str) -> Mapping[str, str]:
    """Return what leads every agent to a model at this address."""
    return {
        "RECEIPTS_CLAUDE": str(BIN / "claude"),
        "RECEIPTS_CODEX": str(BIN / "codex"),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "MODEL_KEY": KEY,
    }


def configure_codex(home: Path, url: str) -> None:
    """Write the configuration that leads Codex to a model, which it asks once and not again."""
    config = home / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(
        'model = "the-users-own"\nmodel_provider = "scripted"\n'
        '[model_providers.scripted]\nname = "scripted"\nwire_api = "responses"\n'
        f'base_url = "{url}/v1"\nenv_key = "MODEL_KEY"\n'
        "request_max_retries = 0\nstream_max_retries = 0\n"
    )
