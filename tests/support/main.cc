// The entry of every test program.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <optional>

#include "common/concurrency/deadlock_detection.h"
#include "tests/support/one_thread.h"

#if CATCH_VERSION_MAJOR < 3
namespace {

struct Listener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    Catch::IMutableContext& context = Catch::getCurrentMutableContext();
    of_one_thread.emplace(context.getResultCapture());
    context.setResultCapture(&*of_one_thread);
  }

  std::optional<carme::testing::OfOneThread> of_one_thread;
};

CATCH_REGISTER_LISTENER(Listener)

}  // namespace
#endif

int main(int argc, char** argv) {
  carme::DisableDeadlockDetection();
  return Catch::Session().run(argc, argv);
}
