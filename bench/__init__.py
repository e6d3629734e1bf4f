"""Measures turnloop on the machine it runs on: `python -m bench`. Not part of any distribution."""
