"""Immutable arrays, and the questions that they answer.

A change makes new ones and shares the rest.
"""
