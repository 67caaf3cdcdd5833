// Coarse deadlines: a timer wheel with a tick of 50 ms.
//
// Extending a deadline, which each read of a connection does, is one store: the
// timer stays in its slot and is moved when the slot is processed.
//
// Not thread-safe: used on one loop's thread.
#ifndef CARME_COMMON_NET_TIMER_WHEEL_H_
#define CARME_COMMON_NET_TIMER_WHEEL_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace carme::net {

class TimerWheel;

// A base class: override OnDeadline. The destructor disarms the timer.
class Timer {
 public:
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 protected:
  explicit Timer(TimerWheel& wheel) : wheel_(wheel) {}
  virtual ~Timer();
  // Called once, at the deadline or at most a tick later. May arm the timer
  // again, and may destroy this or any other timer.
  virtual void OnDeadline() = 0;

  void ArmTimer(int64_t delay_ms);
  void DisarmTimer() { due_ = kNever; }

 private:
  friend class TimerWheel;
  static constexpr int64_t kNever = INT64_MAX;

  void Unlink();

  TimerWheel& wheel_;
  Timer* next_ = nullptr;
  Timer** link_ = nullptr;  // the pointer to this timer; null: in no slot
  int64_t due_ = kNever;    // in ticks
  int64_t slot_tick_ = 0;   // when its slot is processed
};

class TimerWheel {
 public:
  static constexpr int64_t kTickMs = 50;

  explicit TimerWheel(int64_t now_ms)
      : now_ms_(now_ms), tick_(TickAt(now_ms)) {}
  TimerWheel(const TimerWheel&) = delete;
  // REQUIRES: no timer is armed.
  ~TimerWheel() = default;

  // Fires the timers that are due.
  void Advance(int64_t now_ms);
  int64_t now_ms() const { return now_ms_; }
  // The time until the next timer in milliseconds, -1 when none is armed.
  int SleepMs() const;

 private:
  friend class Timer;
  static constexpr size_t kSlots = 1024;  // 51 s in total

  static int64_t TickAt(int64_t ms) { return ms / kTickMs; }
  void Insert(Timer* timer);
  void Visit(size_t slot);

  int64_t now_ms_;
  int64_t tick_;  // all slots up to this tick were processed
  std::array<Timer*, kSlots> slots_{};
  std::array<uint64_t, kSlots / 64> occupied_{};
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TIMER_WHEEL_H_
