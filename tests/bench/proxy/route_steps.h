// The ways of a new route, each timed.
#ifndef CARME_TESTS_BENCH_PROXY_ROUTE_STEPS_H_
#define CARME_TESTS_BENCH_PROXY_ROUTE_STEPS_H_

#include <memory>

#include "common/net/stream.h"
#include "common/net/task.h"
#include "tests/bench/proxy/subjects/neighbours.h"
#include "tests/bench/proxy/subjects/subject.h"

namespace carme::bench {

// In a table of `routes` on each of two loops: from one more in a message to
// both loops' finding it. Microseconds, the median of a thousand.
double TableAddsUs(const Neighbours& neighbours, int routes);

// A route to the n-th job of carme, from the backend's message to the first
// request that does not fail with "no such job". Milliseconds.
float BackendToRequestMs(Neighbours& neighbours, Subject& carme, int n);

// chp's REST interface, over one connection.
class RestApi {
 public:
  RestApi(Neighbours& neighbours, const Subject& chp);
  ~RestApi();
  // Adds a route to the n-th job: how long the call takes. Microseconds.
  double AddUs(int n);
  // From the call to the end of the first request. Milliseconds.
  float ToRequestMs(int n);

 private:
  net::Task<void> Connect();
  net::Task<void> Add(int n);

  Neighbours& neighbours_;
  const Subject& chp_;
  std::unique_ptr<net::Stream> stream_;
};

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_ROUTE_STEPS_H_
