"""A server of several processes: one owner that writes, readers beside each other on one port, and who keeps them.

    supervisor ──spawns──► owner     the folder's lock, all commits; no port, but a unix socket
               ──spawns──► readers   the port, which they share; reads are answered here, the rest is passed on to the owner

The supervisor makes no gRPC object. The owner tells the readers what is durable, and they read it from the folder's files.
"""
