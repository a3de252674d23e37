"""The slow, obvious answer to every call of the read side: plain Python, in the words of the specification.

It knows nothing of the server. A world is what `World.apply` made of the batches; `answer` first deletes every
row that the caller may not read, then runs the plainest algorithm there is over what is left.
"""

from tests.oracle.answers import answer
from tests.oracle.model import World
from tests.oracle.refusals import Refused

__all__ = ["Refused", "World", "answer"]
