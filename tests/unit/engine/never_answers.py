"""A process that is asked and says nothing: it reads no question, and waits to be killed."""

import signal

if __name__ == "__main__":
    signal.pause()
