"""Conformance suites and fakes, for our plugins and everybody's."""
