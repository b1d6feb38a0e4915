"""The same run through a dask cluster: whoever grades, and wherever, the results are the same bytes."""

import json
import os
import sys
from types import SimpleNamespace

import cloudpickle
import pytest
from corpus import hand_in, honest, no_notebooks

from fi_grader import command
from fi_grader.judging import worker as run
from notebooks import grade, lay_course

# workers cannot import a test: what runs there is sent there
cloudpickle.register_pickle_by_value(sys.modules[__name__])
SPECIMENS = ("perfect", "empty", "right answer of another shape 1", "named mistakes 1", "named mistakes 2",
             "syntax error", "magics and shell lines", "corrupt JSON", "empty folder", "name that is no UTF-8")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """One set, and ten submissions of it from the corpus -> folder."""
    base = lay_course(tmp_path_factory.mktemp("course"))
    cases = [case for group in (honest(), no_notebooks()) for case in group if case.name in SPECIMENS]
    assert len(cases) == len(SPECIMENS)
    hand_in(cases, base / "in")
    return base


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and a worker of two threads, each in a process of its own -> LocalCluster."""
    from distributed import LocalCluster
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None) as cluster:
        yield cluster


def graded(course, report, *options):
    grade(course, "--seed", 3, *options, out=report)
    return {name: (report / name).read_bytes() for name in ("results.jsonl", "grades.csv", "students.csv")}


def watch_the_workers():
    """Run on a worker: count the workers it starts from now on, and the times its own process forks -> None."""
    run.seen = {"forks": 0, "workers": set()}
    os.register_at_fork(before=lambda: run.seen.update(forks=run.seen["forks"] + 1))
    started = run.Worker

    def counted(settings):
        worker = started(settings)
        run.seen["workers"].add(id(worker))
        return worker
    run.Worker = counted


def seen_by_the_worker():
    """Run on a worker -> (forks of its own process, workers started, workers still open)."""
    return run.seen["forks"], len(run.seen["workers"]), len(run._workers_started)


@pytest.mark.parametrize(("has_dask", "words"), [
    (True, "no dask scheduler at tcp://127.0.0.1:1: .*Start one with .dask scheduler."), (None, "needs dask")])
def test_a_cluster_that_is_not_there_is_named_with_the_way_to_get_one(has_dask, words, monkeypatch):
    monkeypatch.setattr(command, "PATIENCE_WITH_A_CLUSTER", 1)
    monkeypatch.setattr(command, "find_spec", lambda name: has_dask)
    with pytest.raises(ValueError, match=words), command._pool(SimpleNamespace(cluster="tcp://127.0.0.1:1")):
        pass


def test_a_cluster_gives_the_same_bytes_and_its_workers_never_fork(course, cluster, tmp_path):
    """results.jsonl, grades.csv and students.csv of ten submissions; two threads own two grading subprocesses, ended at
    the end.
    """
    from distributed import Client
    with Client(cluster.scheduler_address) as client:
        client.run(watch_the_workers)
        there = graded(course, tmp_path / "there", "--cluster", cluster.scheduler_address)
        (forks, workers, still_open), = client.run(seen_by_the_worker).values()
    assert there == graded(course, tmp_path / "here", "--jobs", "2")
    assert len(there["results.jsonl"].splitlines()) == len(SPECIMENS)
    assert forks == 0 and 1 <= workers <= 2 and still_open == 0
    assert {json.loads(line)["sandbox"] for line in there["results.jsonl"].splitlines()} == {"bwrap"}
