// Catch2's second version keeps no lock: two threads that assert, or leave a
// message, at once corrupt its memory, once in a hundred runs. So an assertion
// or message of another thread ends the program, every time. The third version
// (Debian 13) has other interfaces.
#ifndef CARME_TESTS_SUPPORT_ONE_THREAD_H_
#define CARME_TESTS_SUPPORT_ONE_THREAD_H_

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#if CATCH_VERSION_MAJOR < 3
namespace carme::testing {

// Stands between the macros and what keeps all they say. A listener would hear
// of assertions only, and not of INFO, CAPTURE and SECTION.
class OfOneThread : public Catch::IResultCapture {
  using Info = Catch::AssertionInfo;
  using Line = Catch::SourceLineInfo;
  using Reaction = Catch::AssertionReaction;
  using Text = Catch::StringRef;

 public:
  explicit OfOneThread(IResultCapture* keeper) : keeper_(*keeper) {}

  bool sectionStarted(const Catch::SectionInfo& section,
                      Catch::Counts& assertions) override {
    Heard(section.lineInfo);
    return keeper_.sectionStarted(section, assertions);
  }
  void sectionEnded(const Catch::SectionEndInfo& end) override {
    keeper_.sectionEnded(end);
  }
  void sectionEndedEarly(const Catch::SectionEndInfo& end) override {
    keeper_.sectionEndedEarly(end);
  }
  Catch::IGeneratorTracker& acquireGeneratorTracker(Text name,
                                                    const Line& line) override {
    Heard(line);
    return keeper_.acquireGeneratorTracker(name, line);
  }
  void pushScopedMessage(const Catch::MessageInfo& message) override {
    Heard(message.lineInfo);
    keeper_.pushScopedMessage(message);
  }
  void popScopedMessage(const Catch::MessageInfo& message) override {
    keeper_.popScopedMessage(message);
  }
  void emplaceUnscopedMessage(const Catch::MessageBuilder& message) override {
    Heard(message.m_info.lineInfo);
    keeper_.emplaceUnscopedMessage(message);
  }
  // A signal, of which Catch2 would report while another thread asserts. It may
  // have come within malloc(), so nothing is allocated for it.
  void handleFatalErrorCondition(Text message) override {
    if (!IsTests()) {
      End({message.c_str(), message.size()}, " in another thread\n");
    }
    keeper_.handleFatalErrorCondition(message);
  }
  void handleExpr(const Info& info, const Catch::ITransientExpression& expr,
                  Reaction& reaction) override {
    Heard(info.lineInfo);
    keeper_.handleExpr(info, expr, reaction);
  }
  void handleMessage(const Info& info, Catch::ResultWas::OfType result,
                     const Text& message, Reaction& reaction) override {
    Heard(info.lineInfo);
    keeper_.handleMessage(info, result, message, reaction);
  }
  void handleUnexpectedExceptionNotThrown(const Info& info,
                                          Reaction& reaction) override {
    Heard(info.lineInfo);
    keeper_.handleUnexpectedExceptionNotThrown(info, reaction);
  }
  void handleUnexpectedInflightException(const Info& info,
                                         const std::string& message,
                                         Reaction& reaction) override {
    Heard(info.lineInfo);
    keeper_.handleUnexpectedInflightException(info, message, reaction);
  }
  void handleIncomplete(const Info& info) override {
    Heard(info.lineInfo);
    keeper_.handleIncomplete(info);
  }
  void handleNonExpr(const Info& info, Catch::ResultWas::OfType result,
                     Reaction& reaction) override {
    Heard(info.lineInfo);
    keeper_.handleNonExpr(info, result, reaction);
  }
  bool lastAssertionPassed() override { return keeper_.lastAssertionPassed(); }
  void assertionPassed() override { keeper_.assertionPassed(); }
  std::string getCurrentTestName() const override {
    return keeper_.getCurrentTestName();
  }
  const Catch::AssertionResult* getLastResult() const override {
    return keeper_.getLastResult();
  }
  void exceptionEarlyReported() override { keeper_.exceptionEarlyReported(); }

 private:
  static bool IsTests() { return std::this_thread::get_id() == kTests; }
  static void Heard(const Line& line) {
    if (IsTests()) return;
    End(std::string(line.file) + ":" + std::to_string(line.line) +
        ": not of the test's own thread\n");
  }
  // Neither an assertion nor a signal: Catch2 would report those.
  [[noreturn]] static void End(std::string_view why,
                               std::string_view more = "") {
    for (const std::string_view words : {why, more}) {
      if (write(STDERR_FILENO, words.data(), words.size()) < 0) break;
    }
    std::_Exit(EXIT_FAILURE);
  }

  static inline const std::thread::id kTests = std::this_thread::get_id();
  IResultCapture& keeper_;
};

}  // namespace carme::testing
#endif

#endif  // CARME_TESTS_SUPPORT_ONE_THREAD_H_
