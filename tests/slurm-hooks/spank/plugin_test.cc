// The plugin as a file: what Slurm's own programs get with it.
#include <stdio.h>

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <sstream>
#include <string>

namespace carme {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // and needs its library
#else
constexpr bool kSanitized = false;
#endif

std::set<std::string> Words(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   pclose);
  std::string text;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe.get())) {
    text.append(buffer, got);
  }
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

TEST_CASE("plugin: exports only the symbols that Slurm needs", "[edf]") {
  CHECK(Words("nm -D --defined-only --format=just-symbols " CARME_PLUGIN) ==
        std::set<std::string>{
            "plugin_name", "plugin_type", "plugin_version", "slurm_spank_init",
            "slurm_spank_init_post_opt", "slurm_spank_task_init",
            "slurm_spank_task_init_privileged", "slurm_spank_task_post_fork",
            "slurm_spank_user_init", "spank_plugin_version"});
}

TEST_CASE("plugin: needs no library except libc", "[edf]") {
  for (const std::string& library :
       Words("objdump -p " CARME_PLUGIN " | awk '/NEEDED/ { print $2 }'")) {
    INFO(library);
    CHECK((library == "libc.so.6" || library == "libm.so.6" ||
           library.starts_with("ld-linux") || kSanitized));
  }
}

}  // namespace
}  // namespace carme
