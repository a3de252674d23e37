"""What a call is refused for that names a version, or revisions, of rows."""

from collections.abc import Sequence

from passageway_server.errors.base import PassagewayError, Precondition


class VersionLate(PassagewayError):
    """The version that was to be waited for did not come in time; ``newest`` is what there is."""

    code = "UNAVAILABLE"
    reason = "VERSION_LATE"

    def __init__(self, asked: str, *, newest: str) -> None:
        self.asked, self.newest = asked, newest
        super().__init__(f"version {asked} is not here yet, the newest is {newest}; try again")


class VersionMoved(PassagewayError):
    """The commit was to follow one version, and another one is the newest by now."""

    code = "ABORTED"
    reason = "VERSION_MOVED"

    def __init__(self, asked: str, *, newest: str) -> None:
        self.asked, self.newest = asked, newest
        super().__init__(f"if_version: {asked} is not the newest version, {newest} is; read again")


class RevisionsMoved(PassagewayError):
    """Rows are not, or no longer, what the commit was made for; ``ids`` names them."""

    code = "ABORTED"
    reason = "REVISIONS_MOVED"

    def __init__(self, ids: Sequence[str], *, newest: str) -> None:
        self.ids, self.newest = tuple(ids), newest
        super().__init__(f"if_revisions: {len(self.ids)} of the rows changed; read them again")


class LoadOvertaken(PassagewayError):
    """Another run of the same load began, and goes on alone; ``load`` is its name."""

    code = "ABORTED"
    reason = "LOAD_OVERTAKEN"

    def __init__(self, load: str) -> None:
        self.load = load
        super().__init__(
            "another run of the same load began meanwhile and goes on; nothing of this batch was kept"
        )


class VersionGone(Precondition):
    """The version asked for is not kept, or none of this collection: one text for all; ``oldest`` is the oldest that is kept."""

    reason = "VERSION_GONE"

    def __init__(self, asked: str, *, oldest: str) -> None:
        self.asked, self.oldest = asked, oldest
        super().__init__(
            f"version {asked} is not kept, or is none of this collection; the oldest that can be read is {oldest}"
        )
