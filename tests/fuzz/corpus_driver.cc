// Runs a fuzz target without a fuzzer: each file of a corpus, and mutations of
// it from a seed that never changes, so that a failure comes back. For a longer
// search it takes how many mutations, and another seed.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr long kMutations = 30000;  // of each file

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()),
                         input.size());
}

std::string Mutate(std::string input, const std::vector<std::string>& corpus,
                   std::mt19937& random) {
  static constexpr char kTelling[] = "\r\n\0 \t:;,=/0f\x7f\xff";
  auto below = [&](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (size_t i = 1 + below(4); i > 0; --i) {
    const size_t at = below(input.size() + 1);
    switch (below(5)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(below(256));
        break;
      case 1:
        input.insert(at, 1, kTelling[below(sizeof kTelling - 1)]);
        break;
      case 2:
        input.erase(at, 1 + below(8));
        break;
      case 3:
        input.insert(at, input.substr(below(input.size() + 1), below(64)));
        break;
      default: {
        const std::string& other = corpus[below(corpus.size())];
        input.insert(at, other.substr(below(other.size() + 1), below(200)));
      }
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: %s CORPUS [MUTATIONS SEED]\n", argv[0]);
    return 2;
  }
  const long mutations = argc == 4 ? std::atol(argv[2]) : kMutations;
  std::vector<std::string> corpus;
  for (const auto& file : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream stream(file.path(), std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream),
                        std::istreambuf_iterator<char>());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "corpus \"%s\": expected files\n", argv[1]);
    return 1;
  }
  std::mt19937 random(argc == 4 ? std::atoi(argv[3]) : 1);
  for (const std::string& input : corpus) {
    Run(input);
    for (long i = 0; i < mutations; ++i) Run(Mutate(input, corpus, random));
  }
  std::printf("%zu inputs, %ld mutations of each\n", corpus.size(), mutations);
  return 0;
}
