"""One module per call: pin a version, ask for the gates and a plan, run it, hand rows back."""
