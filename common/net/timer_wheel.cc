#include "common/net/timer_wheel.h"

#include <algorithm>
#include <bit>

namespace carme::net {

Timer::~Timer() { Unlink(); }

void Timer::Unlink() {
  if (link_ == nullptr) return;
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
  link_ = nullptr;
  next_ = nullptr;
}

void Timer::ArmTimer(int64_t delay_ms) {
  // Rounded up, plus one, because the current tick has already begun.
  due_ =
      TimerWheel::TickAt(wheel_.now_ms_ + std::max<int64_t>(delay_ms, 0)) + 1;
  if (link_ != nullptr && slot_tick_ <= due_) return;
  Unlink();
  wheel_.Insert(this);
}

void TimerWheel::Insert(Timer* timer) {
  // A later timer is moved when its slot is processed.
  timer->slot_tick_ =
      std::min<int64_t>(timer->due_, tick_ + static_cast<int64_t>(kSlots) - 1);
  size_t slot = static_cast<size_t>(timer->slot_tick_) % kSlots;
  timer->next_ = slots_[slot];
  timer->link_ = &slots_[slot];
  if (timer->next_ != nullptr) timer->next_->link_ = &timer->next_;
  slots_[slot] = timer;
  occupied_[slot / 64] |= uint64_t{1} << (slot % 64);
}

void TimerWheel::Visit(size_t slot) {
  occupied_[slot / 64] &= ~(uint64_t{1} << (slot % 64));
  // Detach the list first: a callback may arm a timer in this slot, and a timer
  // that is destroyed must be linked.
  Timer* due = slots_[slot];
  slots_[slot] = nullptr;
  if (due != nullptr) due->link_ = &due;
  while (due != nullptr) {
    Timer* timer = due;
    timer->Unlink();
    if (timer->due_ == Timer::kNever) continue;
    if (timer->due_ > tick_) {
      Insert(timer);
      continue;
    }
    timer->due_ = Timer::kNever;
    timer->OnDeadline();
  }
}

void TimerWheel::Advance(int64_t now_ms) {
  now_ms_ = now_ms;
  int64_t target = TickAt(now_ms);
  // After a long sleep each slot is processed once, with the new time.
  if (target - tick_ > static_cast<int64_t>(kSlots)) {
    tick_ = target - static_cast<int64_t>(kSlots);
  }
  while (tick_ < target) {
    ++tick_;
    size_t slot = static_cast<size_t>(tick_) % kSlots;
    if ((occupied_[slot / 64] >> (slot % 64) & 1) != 0) Visit(slot);
  }
}

int TimerWheel::SleepMs() const {
  // The first occupied slot after the current one, 64 slots at a time.
  size_t start = static_cast<size_t>(tick_ + 1) % kSlots;
  for (size_t step = 0; step < kSlots;) {
    size_t slot = (start + step) % kSlots;
    uint64_t word = occupied_[slot / 64] >> (slot % 64);
    if (word == 0) {
      step += 64 - slot % 64;
      continue;
    }
    int64_t tick =
        tick_ + 1 + static_cast<int64_t>(step) + std::countr_zero(word);
    return static_cast<int>(std::max<int64_t>(tick * kTickMs - now_ms_, 0));
  }
  return -1;
}

}  // namespace carme::net
