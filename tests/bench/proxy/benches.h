// The benchmarks of proxy_bench, each a function that prints its figures.
#ifndef CARME_TESTS_BENCH_PROXY_BENCHES_H_
#define CARME_TESTS_BENCH_PROXY_BENCHES_H_

#include "tests/bench/proxy/subjects/neighbours.h"

namespace carme::bench {

// 1 KiB answers on connections that stay.
void BenchRequests(Neighbours& neighbours);
// A connection for each request.
void BenchHandshakes(Neighbours& neighbours);
// 1 MiB answers.
void BenchBulk(Neighbours& neighbours);
// What a subject adds to the time of a request while it is loaded to 60 %.
void BenchLatency(Neighbours& neighbours);
// What an idle websocket takes.
void BenchMemory(Neighbours& neighbours);
// A few busy websockets among many idle ones.
void BenchEcho(Neighbours& neighbours);
// How soon a route is there, and what ten thousand cost.
void BenchRoutes(Neighbours& neighbours);

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_BENCHES_H_
