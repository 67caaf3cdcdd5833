// A source file for tests that need the private cluster: outside of it the
// program is skipped. See deploy/cluster.d/README.md.
#include <cstdio>
#include <cstdlib>

namespace {

[[maybe_unused]] const bool in_cluster = [] {
  if (std::getenv("CARME_TEST_CLUSTER") != nullptr) return true;
  std::fputs("skipped: run it inside deploy/cluster\n", stderr);
  std::_Exit(77);
}();

}  // namespace
