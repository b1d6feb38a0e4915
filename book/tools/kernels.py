"""Kernels that need not import what every chapter imports:
one process has done it, and each kernel is a fork of it.

Importing NumPy, pandas, Matplotlib, scikit-learn and Jupyter takes a kernel one to two seconds,
and the book has some twenty.
`fi_teach` is not among them: its plots look for the notebook that they are imported into.
"""

import gc
import multiprocessing
import os
import sys
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from tempfile import gettempdir
from threading import Thread
from uuid import uuid4

from jupyter_client.provisioning import LocalProvisioner

IMPORTED = ["ipykernel.kernelapp", "ipykernel.debugger", "ipywidgets", "matplotlib.pyplot",
            "pandas", "scipy.stats", "sklearn.ensemble",
            "sklearn.pipeline", "sklearn.linear_model", "sklearn.model_selection",
            "sklearn.inspection"]
OURS = [str(folder) for folder in (Path(__file__).parent, Path(__file__).parent.parent / "_ext")]
"""Folders that only the build looks into: a chapter that imports from them would run here
and nowhere else."""
INLINE = "module://matplotlib_inline.backend_inline"
"""The backend that a kernel gives to the Matplotlib that it imports."""


def serve(arguments, folder):
    """Be a kernel, in a fork: what `python -m ipykernel_launcher` does."""
    import matplotlib
    from ipykernel.kernelapp import IPKernelApp

    # what was imported before stays: looking through it for garbage takes time, and copies it
    gc.freeze()
    os.chdir(folder)
    sys.path[:] = [path for path in sys.path if path not in OURS]
    matplotlib.rcParams["backend"] = INLINE
    Thread(target=outlive_nobody, daemon=True).start()
    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])


def outlive_nobody():
    """End this kernel when the build ends, however it ends:
    the process that forks stays while a kernel does."""
    from ipykernel.kernelapp import IPKernelApp

    multiprocessing.parent_process().join()
    IPKernelApp.instance().cleanup_ipc_files()
    os._exit(1)


class Fork(ForkServerProcess):
    """A process of multiprocessing with the manners of one of subprocess."""

    stdin = stdout = stderr = None

    def poll(self):
        return self.exitcode

    def wait(self):
        self.join()
        return self.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)


class ForkProvisioner(LocalProvisioner):
    """Starts a kernel as a fork instead of a new Python."""

    async def launch_kernel(self, cmd, cwd=".", **options):
        forkserver.set_forkserver_preload(IMPORTED)  # its process ends with this one
        self.process, self.cwd = Fork(target=serve, args=(cmd[cmd.index("-f"):], str(cwd))), cwd
        self.process.start()
        self.pid = self.process.pid
        return self.connection_info


def forking(manager):
    """Let a KernelManager start its kernel as a fork -> the manager.

    They talk through Unix sockets: a port that is free now may be taken before a kernel binds it.
    """
    manager.transport, manager.ip = "ipc", f"{gettempdir()}/kernel-{uuid4().hex[:12]}"
    manager.provisioner = ForkProvisioner(kernel_id="", kernel_spec=manager.kernel_spec,
                                          parent=manager)
    return manager
