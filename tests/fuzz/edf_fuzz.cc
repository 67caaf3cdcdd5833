// An environment that a stranger wrote, rendered as the backend and a node
// would: whatever it is, it becomes an environment that reads back as itself,
// or is refused with a reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/edf/limits.h"
#include "common/edf/render.h"
#include "common/edf/text.h"

namespace carme {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

// One base, which has a base that is the text itself.
EdfContext Site(const std::string& text) {
  return {.files = {
              .read = [text](const std::string& path,
                             size_t max) -> absl::StatusOr<std::string> {
                Check(path.starts_with("/"));
                Check(text.size() <= max);
                return path == "/etc/edf/base.toml"
                           ? "image = \"a\"\nenv.A = \"${USER}\""
                           : text;
              },
              .kind = [](const std::string&) { return EdfFileKind::kRegular; }},
          .variables = {{"USER", "ada"},
                        {"HOME", "/home/ada"},
                        {"BYTES", "\xff\x01:"}},
          .cwd = "/here"};
}

void FuzzRender(const std::string& text) {
  const EdfResult result = RenderEdfText(text, "x.toml", Site(text));
  Check(result.edf.has_value() == result.problems.empty());
  Check(result.problems.list().size() <= kMaxEdfProblems);
  if (!result.edf) return;
  const std::string rendered = EdfToToml(*result.edf);
  const EdfResult again = ReadRenderedEdf(rendered);
  Check(again.edf.has_value());
  Check(*again.edf == *result.edf);
  Check(EdfToToml(*again.edf) == rendered);
}

}  // namespace
}  // namespace carme

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > carme::kMaxEdfBytes) return 0;
  carme::FuzzRender(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
