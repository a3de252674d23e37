"""What one server publishes in an object store, and others fetch from there.

    CURRENT             what there is: of each collection a snapshot, and the pieces of its log
    PAGE_KEY            the key that seals page tokens, so that a listing goes on at any server
    objects/<digest>    files of snapshots, listings of them, and pieces of logs, named by their SHA-256

Objects are never changed. CURRENT moves by compare-and-set, so that of two publishers one finds out.
"""
