"""What a process is not in a state to do: it starts, stops, follows another, or has no folder."""

from collections.abc import Sequence

from passageway_server.errors.base import PassagewayError, Precondition


class Stopping(PassagewayError):
    """The server is going down and takes no more commits."""

    code = "UNAVAILABLE"
    reason = "STOPPING"

    def __init__(self) -> None:
        super().__init__("the server is stopping; send the call again to the one that follows")


class NoWriter(PassagewayError):
    """The process that takes the writes of a server is not there; the call did not reach it."""

    code = "UNAVAILABLE"
    reason = "NO_SERVER"

    def __init__(self) -> None:
        super().__init__(
            "the process of this server that takes writes is starting; nothing was done, send the call again"
        )


class WriterLost(PassagewayError):
    """The process that takes the writes of a server ended with the call in it."""

    code = "UNAVAILABLE"
    reason = "CONNECTION_LOST"

    def __init__(self) -> None:
        super().__init__(
            "the process of this server that takes writes ended before it answered; look what a write did, then send"
            " the call again"
        )


class FollowerOnly(Precondition):
    """This server follows another one, which takes the commits."""

    reason = "REPLICA"

    def __init__(self, source: str) -> None:
        self.source = source
        super().__init__(
            f"this server follows {source} and takes no commits; send it to the one it follows"
        )


class NoFolder(Precondition):
    """The server keeps everything in memory alone."""

    reason = "NO_FOLDER"

    def __init__(self) -> None:
        super().__init__("this server keeps no folder; start it with --data DIR to write snapshots")


class FolderMissing(Precondition):
    """There is no data folder, and none was to be made."""

    reason = "FOLDER_MISSING"

    def __init__(self, folder: str) -> None:
        self.folder = folder
        super().__init__(
            f"{folder}: no data folder here; `passageway load` or `collection create` makes one"
        )


class NothingPublished(Precondition):
    """Nobody has published under a URL that was to be followed."""

    reason = "NOTHING_PUBLISHED"

    def __init__(self, url: str) -> None:
        self.url = url
        super().__init__(
            f"{url}: nothing is published there; start a server with `serve --publish {url}`,"
            " or check bucket and prefix"
        )


class FolderForeign(Precondition):
    """What stands in the place of a data folder is something else, which nothing is written into."""

    reason = "FOLDER_FOREIGN"

    def __init__(self, folder: str, found: str) -> None:
        self.folder, self.found = folder, found
        super().__init__(f"{folder}: {found}; name a data folder, or one that is to be made")


class FolderInUse(Precondition):
    """The data folder is open already, here or in another process; ``holder`` is that one's number, where known."""

    reason = "FOLDER_IN_USE"

    def __init__(self, folder: str, *, holder: int | None = None, here: bool = False) -> None:
        self.folder, self.holder = folder, holder
        told = "" if holder is None else f" (pid {holder})"
        who = "this process" if here else f"another process{told}"
        super().__init__(
            f"{folder} is in use by {who}: a server, a load or an open client; stop it, or ask its server"
        )


class SettingInvalid(Precondition):
    """A server cannot start with a setting, or with the file that it names; ``faults`` lists every reason."""

    reason = "SETTING_INVALID"

    def __init__(self, setting: str, faults: Sequence[str]) -> None:
        self.setting, self.faults = setting, tuple(faults)
        super().__init__("\n".join(f"{setting}: {fault}" for fault in self.faults))


class NotStarted(Precondition):
    """A process of the server could not start; the text is what it said."""

    reason = "NOT_STARTED"
