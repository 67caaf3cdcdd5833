#include "backend/slurm/answer_memory.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace carme {
namespace {

constexpr size_t kLarge = 5 << 20;

// So that the compiler leaves no call of these out.
void* (*volatile const Malloc)(size_t) = std::malloc;
void* (*volatile const Calloc)(size_t, size_t) = std::calloc;
void* (*volatile const Realloc)(void*, size_t) = std::realloc;
void (*volatile const Free)(void*) = std::free;

bool AreAll(const void* memory, size_t size, int value) {
  const auto* const bytes = static_cast<const unsigned char*>(memory);
  for (size_t i = 0; i < size; ++i) {
    if (bytes[i] != value) return false;
  }
  return true;
}

// As many pieces as fill several blocks, of all small sizes, each with a value
// of its own.
std::vector<void*> FilledPieces(size_t count) {
  std::vector<void*> pieces;
  pieces.reserve(count);
  const AnswerMemory memory;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = i % 1000;
    pieces.push_back(Malloc(size));
    std::memset(pieces.back(), static_cast<int>(i % 251), size);
  }
  return pieces;
}

TEST_CASE("answer memory: more than memory has is refused", "[slurm]") {
  if (!AnswerMemory::kIsThere) return;  // a sanitizer ends the process
  const AnswerMemory memory;
  CHECK(Calloc(SIZE_MAX / 2, 3) == nullptr);
  CHECK(Malloc(SIZE_MAX / 2) == nullptr);
}

TEST_CASE("answer memory: what is given back twice ends the process",
          "[slurm]") {
  if (!AnswerMemory::kIsThere) return;  // a sanitizer says more
  const AnswerMemory memory;
  void* const piece = Malloc(100);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    Free(piece);
    Free(piece);
    _exit(0);
  }
  Free(piece);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
}

TEST_CASE("answer memory: each piece is its own and aligned, also afterwards",
          "[slurm]") {
  const size_t before = AnswerMemory::BlocksInUse();
  const std::vector<void*> pieces = FilledPieces(5000);
  CHECK((AnswerMemory::BlocksInUse() > before) == AnswerMemory::kIsThere);
  for (size_t i = 0; i < pieces.size(); ++i) {
    CAPTURE(i);
    REQUIRE(reinterpret_cast<uintptr_t>(pieces[i]) % 16 == 0);
    REQUIRE(AreAll(pieces[i], i % 1000, static_cast<int>(i % 251)));
  }
  for (void* piece : pieces) Free(piece);
  CHECK(AnswerMemory::BlocksInUse() == before);
}

TEST_CASE("answer memory: what was used is used again, and cleared by calloc",
          "[slurm]") {
  for (void* piece : FilledPieces(5000)) Free(piece);
  const AnswerMemory memory;
  for (const size_t size : {size_t{1}, size_t{100}, size_t{30000},
                            size_t{100000}, size_t{2} << 20}) {
    CAPTURE(size);
    void* const used = Malloc(size);
    std::memset(used, 7, size);
    Free(used);
    void* const cleared = Calloc(1, size);
    CHECK(AreAll(cleared, size, 0));
    Free(cleared);
  }
}

TEST_CASE("answer memory: a piece that grows keeps what is in it", "[slurm]") {
  const AnswerMemory memory;
  void* piece = nullptr;
  for (const size_t size : {size_t{10}, size_t{1000}, size_t{100000}, kLarge,
                            2 * kLarge, size_t{5}}) {
    CAPTURE(size);
    piece = Realloc(piece, size);
    REQUIRE(piece != nullptr);
    if (size == 10) std::memset(piece, 9, size);
    CHECK(AreAll(piece, 5, 9));
  }
  CHECK(Realloc(piece, 0) == nullptr);
}

TEST_CASE(
    "answer memory: large pieces are apart, and more than there are "
    "slots are given",
    "[slurm]") {
  std::vector<void*> pieces;
  for (int round = 0; round < 2; ++round) {
    const AnswerMemory memory;
    for (int i = 0; i < 6; ++i) {
      pieces.push_back(Malloc(kLarge));
      std::memset(pieces.back(), i, kLarge);
    }
    pieces.push_back(Malloc(size_t{300} << 20));
    REQUIRE(pieces.back() != nullptr);
    for (int i = 0; i < 6; ++i) {
      CHECK(AreAll(pieces[static_cast<size_t>(i)], kLarge, i));
    }
    for (void* piece : pieces) Free(piece);
    pieces.clear();
  }
}

TEST_CASE("answer memory: any thread may give a piece back", "[slurm]") {
  const size_t before = AnswerMemory::BlocksInUse();
  const std::vector<void*> pieces = FilledPieces(5000);
  std::thread([&] {
    for (void* piece : pieces) Free(piece);
  }).join();
  CHECK(AnswerMemory::BlocksInUse() == before);
}

TEST_CASE("answer memory: it is for one thread", "[slurm]") {
  { const AnswerMemory first; }
  const size_t before = AnswerMemory::BlocksInUse();
  std::vector<void*> pieces;
  std::thread([&] { pieces = FilledPieces(5000); }).join();
  CHECK(AnswerMemory::BlocksInUse() == before);
  for (void* piece : pieces) Free(piece);
}

TEST_CASE("answer memory: what is given back to the system is used again",
          "[slurm]") {
  const size_t before = AnswerMemory::BlocksInUse();
  const std::vector<void*> kept = FilledPieces(100);
  for (int round = 0; round < 2; ++round) {
    for (void* piece : FilledPieces(5000)) Free(piece);
    AnswerMemory::GiveBackFree();
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    CHECK(AreAll(kept[i], i, static_cast<int>(i)));
    Free(kept[i]);
  }
  CHECK(AnswerMemory::BlocksInUse() == before);
}

TEST_CASE("answer memory: where blocks stay in use, no more are taken",
          "[slurm]") {
  // A leak of one piece in each block.
  std::vector<void*> leaked;
  for (int block = 0; block < 100; ++block) {
    const AnswerMemory memory;
    std::vector<void*> others;
    for (int i = 0; i < 10; ++i) others.push_back(Malloc(30000));
    leaked.push_back(others.back());
    others.pop_back();
    for (void* piece : others) Free(piece);
  }
  CHECK(AnswerMemory::BlocksInUse() <= 66);
  const size_t in_use = AnswerMemory::BlocksInUse();
  const std::vector<void*> pieces = FilledPieces(5000);
  CHECK(AnswerMemory::BlocksInUse() == in_use);
  for (void* piece : pieces) Free(piece);
  for (void* piece : leaked) Free(piece);
}

}  // namespace
}  // namespace carme
