// The program's malloc(), calloc(), realloc() and free() stand in this file;
// they are glibc's but for the pieces of AnswerMemory. Everything that asks for
// memory goes through here: no lock, no allocation, no Abseil.
#include "backend/slurm/answer_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void __libc_free(void* memory);
}

namespace carme {
namespace {

// Small pieces are cut from blocks; each of the few large ones has a slot.
constexpr size_t kBlockBytes = 256 << 10;
constexpr size_t kMostBlocks = 4096;
constexpr size_t kLargestSmall = 32 << 10;
constexpr size_t kSlotBytes = 256 << 20;
constexpr size_t kSlots = 4;
constexpr size_t kLeastLarge = 1 << 20;
// Address space: what is not used costs nothing.
constexpr size_t kBytesOfBlocks = kMostBlocks * kBlockBytes;
constexpr size_t kReserved = kBytesOfBlocks + kSlots * kSlotBytes;
// By so much more of it can be used: a page of the kernel's large ones.
constexpr size_t kGrowth = 2 << 20;
// So many blocks are in use after an answer was given back: they will stay so.
constexpr size_t kMostLeaked = 64;
// A piece's size stands before it.
constexpr size_t kAlignment = 16;
// More than any size.
constexpr size_t kIsBack = size_t{1} << 63;
static_assert(kAlignment >= alignof(std::max_align_t) &&
              kAlignment >= sizeof(size_t));

// A block or a slot.
struct Room {
  size_t pieces = 0;  // less those that the owner gave back
  std::atomic<size_t> back_from_others = 0;
  size_t usable = 0;  // bytes of a slot that can be read and written
  bool IsFree() const {
    return pieces == back_from_others.load(std::memory_order_acquire);
  }
};

// What lies within is ours. Null until there is a first AnswerMemory.
constinit std::atomic<char*> reserved = nullptr;
constinit std::atomic<bool> has_owner = false;

// Of the owner, but for back_from_others.
constinit Room blocks[kMostBlocks];
constinit Room slots[kSlots];
constinit size_t usable_blocks = 0;
constinit size_t current = 0;  // the block that is being cut
constinit char* next_piece = nullptr;
constinit char* block_end = nullptr;

// Found without a call, which might itself ask for memory.
#define CARME_OF_THREAD \
  [[gnu::tls_model("initial-exec")]] constinit thread_local
CARME_OF_THREAD bool is_owner = false;
CARME_OF_THREAD bool is_cutting = false;

char* Base() { return reserved.load(std::memory_order_relaxed); }

bool IsOurs(const void* memory) {
  const auto base = reinterpret_cast<uintptr_t>(Base());
  return base != 0 && reinterpret_cast<uintptr_t>(memory) - base < kReserved;
}

size_t& SizeOf(void* piece) { return static_cast<size_t*>(piece)[-1]; }

Room& RoomOf(const void* piece) {
  const auto at = static_cast<size_t>(static_cast<const char*>(piece) - Base());
  return at < kBytesOfBlocks ? blocks[at / kBlockBytes]
                             : slots[(at - kBytesOfBlocks) / kSlotBytes];
}

char* SlotAt(size_t index) {
  return Base() + kBytesOfBlocks + index * kSlotBytes;
}

void Reserve() {
  void* mapped = mmap(nullptr, kReserved + kGrowth, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return;
  const size_t beyond = reinterpret_cast<uintptr_t>(mapped) % kGrowth;
  char* const base = static_cast<char*>(mapped) + (kGrowth - beyond);
  // Small answers take the first of the blocks, and a few pages of them.
  madvise(base + kGrowth, kReserved - kGrowth, MADV_HUGEPAGE);
  reserved.store(base, std::memory_order_relaxed);
}

bool MakeUsable(char* from, size_t bytes) {
  return mprotect(from, bytes, PROT_READ | PROT_WRITE) == 0;
}

void BeginBlock(size_t index) {
  current = index;
  blocks[index].pieces = 0;
  blocks[index].back_from_others.store(0, std::memory_order_relaxed);
  next_piece = Base() + index * kBlockBytes + kAlignment;
  block_end = Base() + (index + 1) * kBlockBytes;
}

// False: there is no more.
bool BeginNextBlock() {
  for (size_t i = 1; i <= usable_blocks; ++i) {
    const size_t index = (current + i) % usable_blocks;
    if (!blocks[index].IsFree()) continue;
    BeginBlock(index);
    return true;
  }
  if (usable_blocks == kMostBlocks ||
      !MakeUsable(Base() + usable_blocks * kBlockBytes, kGrowth)) {
    return false;
  }
  BeginBlock(usable_blocks);
  usable_blocks += kGrowth / kBlockBytes;
  return true;
}

// Null from these two: glibc is to be asked.
void* CutSmall(size_t size) {
  // With the size of the piece that follows.
  const size_t bytes =
      (size + sizeof(size_t) + kAlignment - 1) / kAlignment * kAlignment;
  if (static_cast<size_t>(block_end - next_piece) < bytes &&
      !BeginNextBlock()) {
    return nullptr;
  }
  char* const piece = next_piece;
  next_piece += bytes;
  SizeOf(piece) = size;
  ++blocks[current].pieces;
  return piece;
}

void* TakeSlot(size_t size) {
  if (size > kSlotBytes - kGrowth) return nullptr;
  const size_t bytes = (size + kAlignment + kGrowth - 1) / kGrowth * kGrowth;
  Room* const room = std::find_if(
      slots, slots + kSlots, [](const Room& slot) { return slot.IsFree(); });
  if (room == slots + kSlots) return nullptr;
  char* const begin = SlotAt(static_cast<size_t>(room - slots));
  if (room->usable < bytes) {
    if (!MakeUsable(begin, bytes)) return nullptr;
    room->usable = bytes;
  }
  room->back_from_others.store(0, std::memory_order_relaxed);
  room->pieces = 1;
  SizeOf(begin + kAlignment) = size;
  return begin + kAlignment;
}

void* PieceOf(size_t size) {
  if (size <= kLargestSmall) return CutSmall(size);
  return size >= kLeastLarge ? TakeSlot(size) : nullptr;
}

void GiveBack(void* piece) {
  // Twice, or not what was given: as glibc does it.
  if (SizeOf(piece) >= kIsBack) std::abort();
  SizeOf(piece) += kIsBack;
  Room& room = RoomOf(piece);
  if (is_owner) {
    --room.pieces;
  } else {
    room.back_from_others.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace

AnswerMemory::AnswerMemory() {
  if (!is_owner) {
    if (has_owner.exchange(true)) return;
    is_owner = true;
    Reserve();
  }
  is_cutting = Base() != nullptr && BlocksInUse() <= kMostLeaked;
}

AnswerMemory::~AnswerMemory() { is_cutting = false; }

size_t AnswerMemory::BlocksInUse() {
  if (!is_owner) return 0;
  return static_cast<size_t>(
      std::count_if(blocks, blocks + usable_blocks,
                    [](const Room& block) { return !block.IsFree(); }));
}

void AnswerMemory::GiveBackFree() {
  if (!is_owner) return;
  for (size_t i = 0; i < usable_blocks; ++i) {
    if (!blocks[i].IsFree()) continue;
    // Nothing of the one that is being cut counts any more.
    if (i == current) BeginBlock(i);
    madvise(Base() + i * kBlockBytes, kBlockBytes, MADV_DONTNEED);
  }
  for (size_t i = 0; i < kSlots; ++i) {
    if (!slots[i].IsFree()) continue;
    madvise(SlotAt(i), slots[i].usable, MADV_DONTNEED);
  }
}

}  // namespace carme

extern "C" {

void* malloc(size_t size) noexcept {
  if (carme::is_cutting) {
    if (void* const piece = carme::PieceOf(size)) return piece;
  }
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) noexcept {
  size_t bytes = 0;
  if (carme::is_cutting && !__builtin_mul_overflow(count, size, &bytes)) {
    if (void* const piece = carme::PieceOf(bytes)) {
      return std::memset(piece, 0, bytes);
    }
  }
  return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) noexcept {
  if (!carme::IsOurs(memory)) return __libc_realloc(memory, size);
  if (size == 0) {
    free(memory);
    return nullptr;
  }
  void* const moved = malloc(size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, memory, std::min(size, carme::SizeOf(memory)));
  free(memory);
  return moved;
}

void free(void* memory) noexcept {
  if (carme::IsOurs(memory)) {
    carme::GiveBack(memory);
  } else {
    __libc_free(memory);
  }
}

}  // extern "C"

#else

namespace carme {

AnswerMemory::AnswerMemory() = default;
AnswerMemory::~AnswerMemory() = default;
size_t AnswerMemory::BlocksInUse() { return 0; }
void AnswerMemory::GiveBackFree() {}

}  // namespace carme

#endif
