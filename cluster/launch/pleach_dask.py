#!/usr/bin/env python3
"""Starts `pleach cluster` on the workers of a Dask cluster, one process a worker.

    python pleach_dask.py --processes 4 -- run pagerank graph.txt --json
    python pleach_dask.py --processes 4 --scheduler tcp://host:8786 -- run pagerank /data/graph.txt --out /data/ranks

Without `--scheduler`, the workers are processes on this machine. Every worker needs the program (`--pleach`), the graph under the same
path, and a port that the others reach. Dask only starts the processes, and hands them a random secret that lets
them recognise each other: use a scheduler that strangers cannot reach. Messages go directly between the processes.
"""

import argparse
import os
import secrets
import socket
import subprocess
import sys
import tempfile


def free_port():
    """A port of this machine that is free, as is the one above it: a stream with an algorithm uses both."""
    for _ in range(100):
        with socket.socket() as first, socket.socket() as second:
            first.bind(("", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("", port + 1))
            except (OSError, OverflowError):
                continue
            return port
    raise OSError("no two ports in a row are free")


def run_process(pleach, arguments, addresses, secret, process):
    """Runs one process to its end; its exit status and what it has printed."""
    # Other users cannot read the temporary folder.
    with tempfile.TemporaryDirectory() as folder:

        def path_of(name, text):
            path = os.path.join(folder, name)
            with open(path, "w") as file:
                file.write(text)
            return path

        hosts = path_of("hosts", "".join(f"{address}\n" for address in addresses))
        shared = path_of("secret", secret)
        command = [pleach, "cluster", *arguments, "--hosts", hosts, "--secret", shared, "--process", str(process)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        except OSError as error:
            return 1, "", f"error: {pleach}: {error.strerror}; --pleach names the program as every worker finds it\n"
        return done.returncode, done.stdout, done.stderr


def launch(client, pleach, arguments, processes):
    """Runs the processes on different workers of a Dask cluster; the exit status and the output of each."""
    client.wait_for_workers(processes)
    workers = sorted(client.nthreads())[:processes]
    # One task at a time for each worker: none may run where another one is needed.
    place = lambda worker: {"workers": [worker], "allow_other_workers": False, "pure": False, "retries": 0}
    ports = client.gather([client.submit(free_port, **place(worker)) for worker in workers])
    hosts = [worker.split("://")[-1].rsplit(":", 1)[0] for worker in workers]
    addresses = [f"{host}:{port}" for host, port in zip(hosts, ports)]
    secret = secrets.token_hex(32)
    started = [
        client.submit(run_process, pleach, arguments, addresses, secret, process, **place(worker))
        for process, worker in enumerate(workers)
    ]
    return client.gather(started)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2, help="how many processes (default: 2)")
    parser.add_argument("--scheduler", help="address of a Dask scheduler (default: a cluster on this machine)")
    parser.add_argument("--pleach", default="pleach", help="the program, as every worker finds it (default: pleach)")
    parser.add_argument("arguments", nargs="+", help="arguments of `pleach cluster`, behind `--`")
    options = parser.parse_args()
    if options.processes < 1:
        parser.error("--processes: expected at least one")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        sys.exit("error: this needs Dask: pip install 'dask[distributed]'")
    if options.scheduler:
        client = Client(options.scheduler)
    else:
        cluster = LocalCluster(n_workers=options.processes, threads_per_worker=1, processes=True, dashboard_address=None)
        client = Client(cluster)
    with client:
        outputs = launch(client, options.pleach, options.arguments, options.processes)
    sys.stdout.write(outputs[0][1])
    failed = [error for status, _, error in outputs if status != 0]
    # All name the worker that has failed; what it says of itself is said once.
    for text in dict.fromkeys(failed or [outputs[0][2]]):
        sys.stderr.write(text)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
