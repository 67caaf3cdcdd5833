"""Starts the Python kernel as a notebook does, and has it compute."""
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(
    startup_timeout=300, kernel_name="python3")
try:
    found = []
    client.execute_interactive(
        "import numpy; print(int(numpy.arange(4).sum()))", timeout=300,
        output_hook=lambda message: found.append(message["content"].get("text")))
    assert "6\n" in found, found
finally:
    client.stop_channels()
    manager.shutdown_kernel()
