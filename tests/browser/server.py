"""An empty folder -> a Jupyter server on loopback that serves JupyterLab 4 and Notebook 7 from it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

START_SECONDS = 90
# Both applications run in one server; each hands its `jupyterapp` to the page, which is how the tests drive it.
CONFIG = """
c.IdentityProvider.token = ""
c.ServerApp.allow_root = True
c.ServerApp.disable_check_xsrf = True
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.open_browser = False
c.ServerApp.port_retries = 0
c.LabApp.expose_app_in_browser = True
c.LabApp.news_url = None
c.JupyterNotebookApp.expose_app_in_browser = True
"""
# A screen with no questions in it, and no autosave that races with a test.
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"checkForUpdates": False, "fetchNews": "false"},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}


class JupyterServer:
    """A server with a home of its own; `root` is the folder it serves, `url` its address, `log` what it printed."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "notebooks"
        self.log = home / "server.log"
        self.url = f"http://127.0.0.1:{free_port()}"
        self.root.mkdir(parents=True)
        self._write_config()
        self._process = self._start()
        self._wait()

    def stop(self) -> None:
        """End the server; it ends its kernels on its way out."""
        self._process.terminate()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write_config(self) -> None:
        config = self.home / "config"
        config.mkdir()
        (config / "jupyter_server_config.py").write_text(CONFIG, encoding="utf-8")
        for plugin, settings in SETTINGS.items():
            path = self.home / "settings" / f"{plugin}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(settings), encoding="utf-8")

    def _start(self) -> subprocess.Popen[bytes]:
        port = self.url.rpartition(":")[2]
        command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.port={port}", f"--ServerApp.root_dir={self.root}"]
        environment = os.environ | {
            "HOME": str(self.home),
            "IPYTHONDIR": str(self.home / "ipython"),
            "JUPYTERLAB_SETTINGS_DIR": str(self.home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(self.home / "workspaces"),
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.home / "runtime"),
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        }
        with self.log.open("wb") as log:
            return subprocess.Popen(
                command, cwd=self.root, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/api/status", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"the Jupyter server did not start:\n{self.log.read_text(encoding='utf-8')[-3000:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
