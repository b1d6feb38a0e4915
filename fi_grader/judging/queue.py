"""Grade many submissions in parallel: joblib distributes them, each thread has a Worker."""

import json
import threading

from fi_grader.judging.worker import Worker

_local = threading.local()
_workers_started: list[Worker] = []


def grade_one(job, settings):
    """Grade one job with this thread's worker -> (job without its content, reply)."""
    content = job.pop("content")
    if job["problem"]:
        return job, {}
    try:
        reply = _worker(settings).ask(job["exercise"], content)
    except RuntimeError as error:
        reply = {"problem": str(error)}
    return job, reply


def _worker(settings):
    """Return this thread's worker; a new one if the settings have changed."""
    text = json.dumps(settings, sort_keys=True)
    if getattr(_local, "settings", None) != text or _local.worker.is_stopped:
        _local.settings, _local.worker = text, Worker(settings)
        _workers_started.append(_local.worker)
    return _local.worker


def close_workers():
    """Stop all workers of this process."""
    _local.__dict__.clear()
    while _workers_started:
        _workers_started.pop().stop()


def grade_all(jobs, settings, *, workers=1, backend="threading"):
    """Grade jobs in parallel -> iterator of (job, reply), in the order in which they finish."""
    from joblib import Parallel, delayed, parallel_config
    with parallel_config(backend=backend, n_jobs=workers):
        pool = Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size=1)
    return pool(delayed(grade_one)(job, settings) for job in jobs)
