// That what the address sanitizer finds behind a filter of system calls is
// written down, as it is elsewhere.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/privileged/impersonator/server/seccomp_filters.h"
#include "backend/privileged/storage/seccomp_filters.h"
#include "common/file.h"

namespace carme {
namespace {

// What a process under it leaves of reading beyond an end; it is taken away.
std::string ReportUnder(const SeccompFilter& filter) {
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!filter.Install().ok()) _exit(0);
    const auto bytes = std::make_unique<char[]>(8);
    const volatile char* end = bytes.get() + 8;
    _exit(*end);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  const std::string path =
      absl::StrCat(CARME_SANITIZER_REPORTS, "/report.privileged_test.", pid);
  std::string report = ReadFile(path).value_or("");
  std::filesystem::remove(path);
  return report;
}

TEST_CASE("sanitizers: a report under a filter is written", "[backend]") {
  const auto impersonator = impersonator::MakeImpersonatorFilters().value();
  const auto storage = storage_reader::MakeStorageReaderFilters().value();
  for (const SeccompFilter* filter :
       {&impersonator.request, &impersonator.root_executor,
        &impersonator.executor, &storage.executor, &storage.area}) {
    const std::string report = ReportUnder(*filter);
    CHECK_THAT(report, Catch::Contains("heap-buffer-overflow") &&
                           Catch::Contains("filtered_report_test.cc"));
  }
}

}  // namespace
}  // namespace carme
