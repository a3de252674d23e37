"""Words: which rows have this word in their texts, and how often?"""
