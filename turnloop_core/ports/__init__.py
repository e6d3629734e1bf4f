"""Ports: the protocols behind which plugins stand. One file each."""
