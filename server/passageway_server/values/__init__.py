"""Plain values that the layers hand each other: records, requests, answers. They know no array."""
