"""What a commit is, and its record in a log: a plain map whose columns are packed, so that it holds few values."""
