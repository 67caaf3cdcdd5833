"""Processor time of a scrape. Arguments: the jobs that the backend must report, and
NAME=PID=PORT of each program. Prints JSON lines as tests/bench/run does."""
import glob
import json
import sys
import time
import urllib.request

SCRAPES = 200


def processor_ms(pid):
    """Of all threads that live: they do not end between two calls."""
    used = 0
    for path in glob.glob(f'/proc/{pid}/task/*/schedstat'):
        with open(path, encoding='ascii') as file:
            used += int(file.read().split()[0])
    return used / 1e6


def scrape(port):
    url = f'http://127.0.0.1:{port}/metrics'
    with urllib.request.urlopen(url, timeout=10) as response:
        return response.read().decode()


def report(subject, metric, value, unit):
    print(json.dumps({'bench': 'metrics', 'subject': subject, 'metric': metric,
                      'value': round(value, 3), 'unit': unit}))


def measure(name, pid, port):
    text = scrape(port)
    before, start = processor_ms(pid), time.monotonic()
    for _ in range(SCRAPES):
        scrape(port)
    took = time.monotonic() - start
    used = processor_ms(pid) - before
    # What the program does by itself in the same time.
    before = processor_ms(pid)
    time.sleep(took)
    idle = processor_ms(pid) - before
    lines = [line for line in text.splitlines() if not line.startswith('#')]
    report(name, 'scrape_cpu_ms', max(used - idle, 0) / SCRAPES, 'ms')
    report(name, 'scrape_ms', 1000 * took / SCRAPES, 'ms')
    report(name, 'series', len(lines), '')


def main():
    jobs, *programs = sys.argv[1:]
    backend = scrape(int(programs[0].split('=')[2]))
    seen = sum(float(line.split()[1]) for line in backend.splitlines()
               if line.startswith('carme_backend_jobs{'))
    if seen != int(jobs):
        sys.exit(f'metrics: the backend reports {seen} jobs, expected {jobs}')
    for program in programs:
        name, pid, port = program.split('=')
        measure(name, int(pid), int(port))


main()
