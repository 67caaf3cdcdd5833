// Runs a system call under a filter.
#ifndef CARME_TESTS_BACKEND_PRIVILEGED_PRIVSEP_FILTERED_CALL_H_
#define CARME_TESTS_BACKEND_PRIVILEGED_PRIVSEP_FILTERED_CALL_H_

#include <sys/prctl.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/privsep/seccomp_filter.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::testing {

inline constexpr char kKilled[] = "was killed for a forbidden system call";

// How `call` ends under the filter: its result, or why there is none.
inline std::string Under(const SeccompFilter& filter,
                         const std::function<long()>& call) {
  auto child = Child::Start([&](ChildPipe* pipe) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!filter.Install().ok()) return;
    errno = 0;
    const long result = call();
    pipe->Respond(result >= 0 ? "done" : absl::StrCat("errno ", errno));
  });
  REQUIRE_THAT(child, IsOk());
  const ChildReport report = child->Await(absl::Now() + kWaitTimeout);
  return report.responded ? report.response : report.end;
}

}  // namespace carme::testing

#endif  // CARME_TESTS_BACKEND_PRIVILEGED_PRIVSEP_FILTERED_CALL_H_
