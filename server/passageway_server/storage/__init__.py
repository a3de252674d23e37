"""Files that survive a crash: snapshots of versions, what names them, the lock of their folder."""
