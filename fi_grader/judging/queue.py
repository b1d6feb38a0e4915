"""Grade many submissions in parallel: joblib distributes them, each thread has a Worker."""

import json
import threading

from fi_grader.judging.worker import Worker
from fi_grader.results import key_of
from fi_grader.submissions import reading as read

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


def jobs_of(submissions, assignments, done, seed, skipped=lambda: None):
    """Yield the submissions that are still to be graded, with their content -> iterator of jobs.

    done : the Records of what was graded before; `skipped` is called for each that still holds
    """
    for s in submissions:
        job = {"student": s.student, "exercise": s.exercise, "file": s.file, "flag": s.flag,
               "problem": "", "content": b""}
        try:
            if not s.path:
                raise ValueError("nothing was handed in.")
            job["content"] = read.content_of(s)
        except ValueError as error:
            job["problem"] = str(error)
        job["key"] = key_of(s.student, s.exercise, job["content"] or job["problem"].encode(),
                            assignments[s.exercise], seed)
        if done.has((s.student, s.exercise), job["key"]):
            skipped()
        else:
            yield job


def grade_all(jobs, settings, *, workers=1, backend="threading"):
    """Grade jobs in parallel -> iterator of (job, reply), in the order in which they finish."""
    from joblib import Parallel, delayed, parallel_config
    with parallel_config(backend=backend, n_jobs=workers):
        pool = Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size=1)
    return pool(delayed(grade_one)(job, settings) for job in jobs)


def record(records, results, assignments, sandbox):
    """Store each result as it comes -> iterator of the new records."""
    from fi_grader.judging.judge import blank_record, reasons_to_review
    for job, reply in results:
        problem, known = job.pop("problem") or reply.get("problem", ""), job.pop("flag", "")
        unread = "no notebook" if job["file"] else "nothing handed in"
        flag = "given up" if "problem" in reply else unread
        found = (blank_record(assignments[job["exercise"]], flag, f"Nothing was graded: {problem}")
                 if problem else reply["record"])
        # the grader's own failure is no result: the next run tries once more
        again = " (again)" * ("problem" in reply)
        found = {**job, **found, "key": job["key"] + again, "sandbox": sandbox}
        found["flags"] = [*found["flags"], *filter(None, [known])]
        more = [f for f in found["flags"] if f.startswith(("not in the roster", "first edition"))]
        found["human"] = list(dict.fromkeys([*reasons_to_review(found), *more]))
        records.add(found, reply.get("seconds", {}))
        yield found
