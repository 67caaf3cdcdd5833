// The entry of every test program.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

// Catch2's second version keeps no lock: two threads that assert, or leave a
// message, at once corrupt its memory, once in a hundred runs. So each
// assertion of another thread than the test's ends the program, every time.
struct AssertionsOfOneThread : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void assertionStarting(const Catch::AssertionInfo& assertion) override {
    if (std::this_thread::get_id() == kTests) return;
    const Catch::SourceLineInfo& line = assertion.lineInfo;
    // Not an assertion that fails, and no signal: Catch2 would report both.
    std::fprintf(stderr, "%s:%zu: asserts off the test's own thread\n",
                 line.file, line.line);
    std::_Exit(EXIT_FAILURE);
  }

  static inline const std::thread::id kTests = std::this_thread::get_id();
};

CATCH_REGISTER_LISTENER(AssertionsOfOneThread)

}  // namespace

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
