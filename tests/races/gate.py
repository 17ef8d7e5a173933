"""A gate at the remote, in its own hooks, that makes pushes meet: they race there for certain."""

from pathlib import Path

_SECONDS = 30
_PRE_RECEIVE = """\
#!/bin/sh
# Waits while the push that is to be held has come first, or the other one is to come.
read -r old new ref
subject=$(git log -1 --format=%s "$new")
cd {folder} || exit 1
waited=0
wait_for() {{
  until [ -e "$1" ] || [ "$waited" -ge {tries} ]; do sleep 0.02; waited=$((waited + 1)); done
}}
case "$subject" in
  *{held}*) : > arrived; wait_for landed;;
esac
{meet}
exit 0
"""
_MEET = """\
if [ ! -e met ]; then
  if mkdir first 2> /dev/null; then wait_for met; else : > met; fi
fi
"""
_POST_RECEIVE = "#!/bin/sh\n: > {folder}/landed\n"


class Gate:
    """The hooks of one repository."""

    def __init__(self, repository: Path) -> None:
        self._hooks = repository / "hooks"
        self._hooks.mkdir(exist_ok=True)
        self._folder = repository / "gate"
        self._folder.mkdir()

    def hold(self, subject: str) -> None:
        """Hold every push of a commit with this word in its subject until some other has landed."""
        self._set(held=subject, meet="")

    def meet(self) -> None:
        """Hold the next push until one more has come; then let both go on."""
        self._set(held="no commit has this", meet=_MEET)

    def open(self) -> None:
        """Hold nothing any more."""
        (self._hooks / "pre-receive").unlink(missing_ok=True)
        (self._hooks / "post-receive").unlink(missing_ok=True)

    @property
    def has_arrived(self) -> bool:
        """Whether the push that is held has come."""
        return (self._folder / "arrived").exists()

    @property
    def have_met(self) -> bool:
        """Whether two pushes were here at one time."""
        return (self._folder / "met").exists()

    def _set(self, *, held: str, meet: str) -> None:
        self.open()
        for left in self._folder.iterdir():
            left.rmdir() if left.is_dir() else left.unlink()
        scripts = {
            "pre-receive": _PRE_RECEIVE.format(
                folder=self._folder, tries=_SECONDS * 50, held=f"'{held}'", meet=meet
            ),
            "post-receive": _POST_RECEIVE.format(folder=self._folder),
        }
        for name, script in scripts.items():
            (self._hooks / name).write_text(script)
            (self._hooks / name).chmod(0o755)
