"""Grade many submissions in parallel: each thread, here or in a dask cluster, has a Worker."""

import json
import threading
from concurrent.futures import FIRST_COMPLETED, as_completed, wait

from fi_grader.judging.worker import Worker

_local = threading.local()
_workers_started: list[Worker] = []


def grade_one(job, settings):
    """Grade one job with this thread's worker -> (job without its content, reply)."""
    content = job.pop("content")
    if job["problem"]:
        return job, {}
    text = json.dumps(settings, sort_keys=True)
    if getattr(_local, "settings", None) != text or _local.worker.is_stopped:
        _local.settings, _local.worker = text, Worker(settings)
        _workers_started.append(_local.worker)
    try:
        return job, _local.worker.ask(job["exercise"], content)
    except RuntimeError as error:
        return job, {"problem": str(error)}


def close_workers():
    """Stop all workers of this process."""
    while _workers_started:
        _workers_started.pop().stop()


def grade_all(jobs, settings, pool, ahead):
    """Grade jobs in parallel -> iterator of (job, reply), in the order in which they finish.

    pool : an executor, in which no more than `ahead` jobs wait

    If a job cannot be made, those that were begun are graded before its error is raised.
    """
    waiting, problem = set(), None
    try:
        for job in jobs:
            waiting.add(pool.submit(grade_one, job, settings))
            if len(waiting) == ahead:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (one.result() for one in done)
    except Exception as error:
        problem = error
    yield from (one.result() for one in as_completed(waiting))
    if problem:
        raise problem
