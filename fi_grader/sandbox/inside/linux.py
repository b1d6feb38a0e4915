"""Linux calls that Python 3.11 has no names for: namespaces, mounts, capabilities, limits."""

import ctypes
import errno
import glob
import os
import platform
import resource
import stat
import struct

NEW_MOUNTS, NEW_IPC, NEW_PIDS = 0x20000, 0x08000000, 0x20000000
NOSUID_NODEV, NOEXEC, READ_ONLY = 2 | 4, 8, 1
REMOUNT, BIND, RECURSIVE, PRIVATE = 1 << 5, 1 << 12, 1 << 14, 1 << 18
KEPT_BY_A_REMOUNT = 2 | 4 | 8 | 1 << 10 | 1 << 11
NO_NEW_PRIVILEGES, DROP_FROM_BOUND, SUBREAPER, DUMPABLE, FILTER_CALLS = 38, 24, 36, 4, 22
CAPABILITY_VERSION = 0x20080522
# Calls that hide memory or notes (a used port is one), look into other processes, or change the
# sandbox, each with its number on x86_64 and on aarch64
REFUSED = {
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    "socket": (41, 198), "flock": (73, 32),
    "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "io_uring_setup": (425, 425), "userfaultfd": (323, 282),
    "bpf": (321, 280), "perf_event_open": (298, 241),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "open_by_handle_at": (304, 265)}
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
OTHER_NUMBERING = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name, *arguments):
    if getattr(_libc, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def new_namespaces():
    """Enter fresh mount and IPC namespaces; processes forked later get a new PID namespace."""
    _call("unshare", NEW_MOUNTS | NEW_IPC | NEW_PIDS)
    _call("mount", b"none", b"/", None, RECURSIVE | PRIVATE, None)


def mount_private(megabytes, kept=()):
    """Mount an empty /tmp and /dev/shm, and a /proc that shows the new PID namespace alone.

    Files and dates in /dev become read-only: one student would read there what another left.

    kept : files and folders of libraries under /tmp or /dev/shm, which stay where they are
    """
    for path in ["/dev", *(place.path for place in os.scandir("/dev") if not place.is_symlink())]:
        if os.path.ismount(path) and path not in ("/dev/shm", "/dev/pts"):
            flags = os.statvfs(path).f_flag & KEPT_BY_A_REMOUNT
            _call("mount", None, path.encode(), None, REMOUNT | BIND | READ_ONLY | flags, None)
    size = f"size={megabytes}m,nr_inodes=20k,mode=1777".encode()
    handles = [os.open(path, os.O_PATH) for path in kept]
    for folder in (b"/tmp", b"/dev/shm"):
        _call("mount", b"tmpfs", folder, b"tmpfs", NOSUID_NODEV, size)
    os.umask(0o022)
    for path, handle in zip(kept, handles, strict=True):
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)
        if not is_folder:
            os.close(os.open(path, os.O_CREAT))
        _call("mount", f"/proc/self/fd/{handle}".encode(), os.fsencode(path), None,
              BIND | RECURSIVE, None)
        os.close(handle)
    try:
        _call("mount", b"proc", b"/proc", b"proc", NOSUID_NODEV | NOEXEC, None)
    except OSError:
        _call("mount", b"tmpfs", b"/proc", b"tmpfs", NOSUID_NODEV | NOEXEC | READ_ONLY, b"size=4k")


def hide(paths):
    """Mount an empty file over each of these, and over what Python has compiled of it."""
    for path in paths:
        folder, name = os.path.split(path)
        compiled = glob.glob(f"{folder}/__pycache__/{name.removesuffix('.py')}.*.pyc")
        for here in (path, *compiled):
            _call("mount", b"/dev/null", here.encode(), None, BIND, None)


def give_up_privileges(user):
    """Become an ordinary user (if this is root) without capabilities, permanently."""
    is_root = os.getuid() == 0
    if is_root:
        os.setgroups([])
        os.setresgid(user, user, user)
    for capability in range(41):
        _libc.prctl(DROP_FROM_BOUND, capability, 0, 0, 0)
    if is_root:
        os.setresuid(user, user, user)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())
    _call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def refuse_calls():
    """Refuse the calls in REFUSED from now on, if their numbers on this machine are known."""
    if platform.machine() not in ARCHITECTURES:
        return
    column, architecture = ARCHITECTURES[platform.machine()]
    numbers = [both[column] for both in REFUSED.values()]
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    steps = [(load, 0, 0, 4), (equal, 0, len(numbers) + 3, architecture), (load, 0, 0, 0),
             (at_least, len(numbers) + 1, 0, OTHER_NUMBERING)]
    steps += [(equal, len(numbers) - k, 0, number) for k, number in enumerate(numbers)]
    steps += [(answer, 0, 0, 0x7FFF0000), (answer, 0, 0, 0x00050000 | errno.EPERM)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    _call("prctl", FILTER_CALLS, 2, struct.pack("HP", len(steps), ctypes.addressof(program)), 0, 0)


def adopt_orphans():
    """Become the parent of orphaned grandchildren, and keep this process's memory private."""
    _call("prctl", SUBREAPER, 1, 0, 0, 0)
    _call("prctl", DUMPABLE, 0, 0, 0, 0)


def set_limits(settings):
    """Limit address space beyond what is in use now, processes, CPU time and file size."""
    with open("/proc/self/statm") as file:
        in_use = int(file.read().split()[0]) * resource.getpagesize()
    limits = {resource.RLIMIT_AS: in_use + settings["megabytes"] * 2**20,
              resource.RLIMIT_NPROC: settings["processes"],
              resource.RLIMIT_CPU: settings["seconds"],
              resource.RLIMIT_FSIZE: settings["megabytes_on_disk"] * 2**20,
              resource.RLIMIT_CORE: 0}
    for which, value in limits.items():
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))


def lift_memory_limit():
    """Lift the memory limit that was inherited from the judge."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
