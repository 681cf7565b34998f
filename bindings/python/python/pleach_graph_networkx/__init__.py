"""What NetworkX wants to know of the backend `pleach` before it is used. Importing this imports nothing else."""


def get_info() -> dict:
    """What the backend is and which functions it has."""
    from ._names import FUNCTIONS

    return {
        "backend_name": "pleach",
        "project": "pleach-graph",
        "package": "pleach_graph",
        "url": "https://github.com/pleach-lang/pleach",
        "short_summary": "Parallel algorithms on graphs that change while they are read.",
        "functions": {name: {} for name in FUNCTIONS},
        "default_config": {"least_size": 2000},
    }
