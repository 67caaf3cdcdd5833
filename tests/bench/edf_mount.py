"""Times carme-env-mount on a node, as the SPANK plugin calls it: from its start
to its answer, in ms, one line a round. Arguments: its path, uid, gid, a rendered
EDF, rounds."""
import socket
import subprocess
import sys
import time

program, uid, gid, edf, rounds = sys.argv[1:]


def make():
    ours, theirs = socket.socketpair()
    start = time.monotonic()
    process = subprocess.Popen([program, uid, gid], stdin=theirs, env={})
    theirs.close()
    ours.sendall(edf.encode())
    ours.shutdown(socket.SHUT_WR)
    answer, descriptors, _, _ = socket.recv_fds(ours, 4096, 1)
    while more := ours.recv(65536):
        answer += more
    took = time.monotonic() - start
    process.wait()
    if not answer.startswith(b"N"):
        sys.exit(answer.decode())
    return took * 1000, descriptors


for _ in range(int(rounds)):
    milliseconds, mounts = make()
    print(f"{milliseconds:.2f}")
    for descriptor in mounts:
        socket.close(descriptor)  # and with it the environment is gone
