"""The algorithms as methods of graphs and snapshots."""


class Methods:
    """What graphs and snapshots have in common: every function of `pleach_graph.algorithms` as a method."""

    __slots__ = ()
