// The parts that detect whether a job is used, one by one.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "slurm-hooks/agent/usage/activity_monitor.h"
#include "slurm-hooks/agent/usage/cpu_time.h"
#include "slurm-hooks/agent/usage/gpu_use.h"
#include "slurm-hooks/agent/usage/input_detector.h"
#include "slurm-hooks/agent/usage/kernel_probe.h"

namespace carme::agent {
namespace {

constexpr char kOpen[] =
    "GET /api/kernels/x/channels HTTP/1.1\r\nHost: a\r\n"
    "Connection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

// As a browser sends it, RFC 6455.
std::string Frame(int opcode, const std::string& payload, int bits = 0x80) {
  std::string frame(1, static_cast<char>(bits | opcode));
  const size_t size = payload.size();
  if (size < 126) {
    frame += static_cast<char>(0x80 | size);
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(size >> 8);
    frame += static_cast<char>(size & 0xff);
  }
  const std::string mask = "\x11\x22\x33\x44";
  frame += mask;
  for (size_t i = 0; i < size; ++i) {
    frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  }
  return frame;
}

// All at once, and byte by byte, which must be the same.
bool Sees(const std::string& bytes) {
  InputDetector whole, slow;
  const bool seen = whole.Feed(bytes);
  bool seen_slowly = false;
  for (const char c : bytes) seen_slowly |= slow.Feed({&c, 1});
  CHECK(seen == seen_slowly);
  return seen;
}

bool SeesMessage(int opcode, const std::string& payload,
                 const std::string& path = "/x") {
  return Sees("GET " + path +
              " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
              "Upgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
              Frame(opcode, payload));
}

TEST_CASE("input: polling is not input", "[agent]") {
  CHECK_FALSE(Sees(""));
  CHECK_FALSE(
      Sees("GET /api/terminals HTTP/1.1\r\nHost: a\r\n\r\n"
           "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
           "OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n"));
  CHECK_FALSE(
      Sees("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nPUT"
           "GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  CHECK_FALSE(Sees(kOpen));
}

TEST_CASE("input: a modifying request is input", "[agent]") {
  CHECK(
      Sees("GET / HTTP/1.1\r\nHost: a\r\n\r\n"
           "PUT /api/contents/a HTTP/1.1\r\nHost: a\r\n"
           "Content-Length: 4\r\n\r\nabcd"));
  CHECK(
      Sees("POST /x HTTP/1.1\r\nHost: a\r\n"
           "Transfer-Encoding: chunked\r\n\r\n"
           "3;a=b\r\nabc\r\n0\r\n\r\n"));
  CHECK(Sees("DELETE /api/sessions/1 HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST_CASE("input: classifies a request after a body", "[agent]") {
  InputDetector meter;
  CHECK(
      meter.Feed("POST /x HTTP/1.1\r\nHost: a\r\n"
                 "Transfer-Encoding: chunked\r\n\r\n"));
  CHECK_FALSE(meter.Feed("3\r\nPUT\r\n0\r\nTrailer: x\r\n\r\n"));
  CHECK_FALSE(meter.Feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  CHECK(meter.Feed("PATCH /y HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST_CASE("input: keep-alives are not input", "[agent]") {
  CHECK_FALSE(Sees(kOpen + Frame(9, "") + Frame(10, "abc") + Frame(8, "")));
  CHECK_FALSE(SeesMessage(1, ""));
  for (const char* word : {"2", "3", "ping", "pong"}) {
    CHECK_FALSE(SeesMessage(1, word));
  }
  CHECK_FALSE(SeesMessage(1, "{\"seen\":12}"));
  CHECK_FALSE(
      SeesMessage(1, "{\"header\":{\"msg_type\":\"kernel_info_request\"}}"));
  // VS Code: a type, two numbers, a size of nothing.
  for (const char type : {'\x03', '\x07', '\x08', '\x09'}) {
    CHECK_FALSE(SeesMessage(2, std::string(1, type) + std::string(12, '\0')));
  }
  // noVNC: give me a picture.
  CHECK_FALSE(SeesMessage(2, std::string("\x03\x01", 2) + std::string(8, 'x'),
                          "/websockify"));
  CHECK_FALSE(Sees(kOpen + Frame(2, std::string(7, 'z'), 0xc0)));
}

TEST_CASE("input: keys and messages are input", "[agent]") {
  CHECK(Sees(kOpen + Frame(2, std::string(13, 'z'), 0xc0)));  // compressed
  CHECK(SeesMessage(1, "l"));
  CHECK(SeesMessage(2, "ls\r"));
  CHECK(SeesMessage(1, "[\"stdin\",\"a\"]"));
  CHECK(SeesMessage(1, "{\"header\":{\"msg_type\":\"execute_request\"}}"));
  CHECK(SeesMessage(
      2, std::string(1, '\x01') + std::string(11, '\0') + "\x01" + "x"));
  const std::string picture = std::string("\x03\x01", 2) + std::string(8, 'x');
  CHECK(SeesMessage(2, picture + std::string("\x05\x00\x00\x01\x00\x01", 6),
                    "/websockify"));
  CHECK(SeesMessage(2, "\x04 key....", "/desktop/websockify"));
  CHECK(SeesMessage(1, std::string(60000, 'x')));
  CHECK(Sees(kOpen + Frame(2, std::string(25, 'z'), 0xc0)));
  // The first frame of a fragmented message is decisive.
  CHECK(Sees(kOpen + Frame(1, "exec", 0) + Frame(0, "ute")));
}

TEST_CASE("input: a websocket that the app refused is HTTP again", "[agent]") {
  CHECK_FALSE(Sees(std::string(kOpen) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  InputDetector meter;
  CHECK_FALSE(meter.Feed(kOpen));
  CHECK(meter.Feed("POST / HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST_CASE("input: unknown traffic counts as input", "[agent]") {
  CHECK(Sees("nonsense\r\n\r\n"));
  CHECK(Sees(std::string(kOpen) + "\x81\x01x"));  // not masked
  CHECK(Sees(kOpen + Frame(2, "", 0x80) + "\xf1"));
  CHECK(Sees("GET /" + std::string(70000, 'x')));
  CHECK(Sees("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n"));
  CHECK(Sees("GET / HTTP/1.1\r\n\r\n"));  // no Host
  CHECK(
      Sees("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
           "many\r\n"));
  InputDetector meter;
  CHECK(meter.Feed("\r\n\r\n"));
  CHECK(meter.Feed("x"));  // and goes on counting
}

TEST_CASE("CPU time: of a job's own control groups only", "[agent]") {
  const std::string own =
      "9:memory:/slurm/uid_1/job_28/step_batch\n0::/system.slice\n";
  CHECK(ParseJobCgroup(own) == "/job_28");
  CHECK(ParseJobCgroup("0::/user.slice/job_\n").empty());
  CHECK(ParseJobCgroup("0::/user.slice\n").empty());
  CHECK(IsInJobCgroup(own, "/job_28"));
  CHECK(IsInJobCgroup("0::/x/job_28", "/job_28"));
  CHECK_FALSE(IsInJobCgroup("0::/x/job_281/step_0\n", "/job_28"));
  CHECK_FALSE(IsInJobCgroup("0::/x/myjob_28/step_0\n", "/job_28"));
}

TEST_CASE("CPU time: a program's name cannot forge it", "[agent]") {
  const std::string tail = " S 1 1 1 0 -1 0 0 0 0 0 100 50 25 25 20 0 1";
  const auto time = ParseCpuTime("42 (a) R 1) b)" + tail);
  REQUIRE(time);
  CHECK(*time == absl::Seconds(200) / sysconf(_SC_CLK_TCK));
  CHECK_FALSE(ParseCpuTime(""));
  CHECK_FALSE(ParseCpuTime("42 (a) S 1 2"));
  CHECK_FALSE(ParseCpuTime("42 (a) S 1 1 1 0 -1 0 0 0 0 0 x 50 25 25"));
}

TEST_CASE("CPU time: of this test's own children", "[agent]") {
  CHECK(ReadJobCpuTime());  // /proc can be read
}

TEST_CASE("kernel: only a kernel that reports it is busy", "[agent]") {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: x\r\n\r\n";
  CHECK(ParseKernelBusy(head + "[]") == false);
  CHECK(ParseKernelBusy(head + R"([{"execution_state": "idle"}])") == false);
  CHECK(ParseKernelBusy(head + R"([{"execution_state":"idle"},)"
                               R"({"execution_state": "busy"}])") == true);
  CHECK(ParseKernelBusy("HTTP/1.1 404 Not Found\r\n\r\n") == false);
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "c\r\n[{\"execution\r\n10\r\n_state\":\"busy\"}]\r\n";
  CHECK(ParseKernelBusy(chunked + "0\r\n\r\n") == true);
  CHECK_FALSE(ParseKernelBusy(chunked));  // cut off
  CHECK_FALSE(
      ParseKernelBusy("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[]"));
  CHECK_FALSE(ParseKernelBusy("HTTP/1.1 403 Forbidden\r\n\r\n"));
  CHECK_FALSE(ParseKernelBusy("HTTP/1.1 200 OK\r\n"));
  CHECK_FALSE(ParseKernelBusy(""));
}

TEST_CASE("GPU use: accepts numbers only", "[agent]") {
  CHECK(ParseGpuBusy("0\n5\n") == false);
  CHECK(ParseGpuBusy("0\n 6\n") == true);
  CHECK_FALSE(ParseGpuBusy(""));
  CHECK_FALSE(ParseGpuBusy("[N/A]\n"));
  CHECK_FALSE(ParseGpuBusy("3\nERR!\n"));
}

// A watch whose sources a test moves by hand.
struct Watched {
  ActivityMonitorOptions options{.interval = absl::Milliseconds(60),
                                 .min_report_interval = absl::ZeroDuration(),
                                 .min_share = 0.5};
  std::optional<absl::Duration> used = absl::ZeroDuration();
  bool sees_all = true;
  std::optional<bool> kernel = false;
  std::optional<bool> gpu = false;
  std::function<ActivityMonitor::Answer()> gpu_answer = [this] {
    return Answer(gpu);
  };
  std::vector<ActivityTimes> said;
  std::unique_ptr<net::EventLoop> loop = *net::EventLoop::Create();

  // Until it has reported this often; `before` each poll.
  void Run(size_t times,
           const std::function<void(ActivityMonitor&)>& begin = {}) {
    ActivityMonitor watch(
        *loop,
        {.cpu_time = [this] { return used; },
         .kernel_busy = [this] { return Answer(kernel); },
         .gpu_busy = gpu_answer,
         .sees_all = [this] { return sees_all; }},
        [&, times](const ActivityTimes& use) {
          said.push_back(use);
          if (said.size() >= times) loop->Stop();
        },
        options);
    if (begin) begin(watch);
    loop->Run();
  }
  // Without further reports.
  void GiveUpAfter(absl::Duration timeout) {
    loop->Spawn(StopAfter(*loop, timeout));
  }
  static net::Task<void> StopAfter(net::EventLoop& loop,
                                   absl::Duration timeout) {
    const int stopped = co_await net::Sleep(loop, timeout);
    if (stopped == 0) loop.Stop();
  }
  static net::Task<std::optional<bool>> Answer(std::optional<bool> answer) {
    co_return answer;
  }
};

TEST_CASE("activity: an unused job has only its start time", "[agent]") {
  Watched idle;
  idle.Run(3);
  CHECK_FALSE(idle.said[2].input);
  CHECK_FALSE(idle.said[2].kernel);
  CHECK(idle.said[2].work == idle.said[0].work);
}

TEST_CASE("activity: unknown counts as work", "[agent]") {
  const auto works = [](const std::function<void(Watched*)>& blind) {
    Watched watched;
    blind(&watched);
    watched.Run(3);
    CHECK_FALSE(watched.said[2].kernel);
    return watched.said[2].work != watched.said[0].work;
  };
  CHECK(works([](Watched* w) { w->used.reset(); }));
  CHECK(works([](Watched* w) { w->sees_all = false; }));
  CHECK(works([](Watched* w) { w->kernel.reset(); }));
  CHECK(works([](Watched* w) { w->gpu.reset(); }));
  CHECK(works([](Watched* w) { w->gpu = true; }));
}

TEST_CASE("activity: samples of GPUs are work above 5 %", "[agent]") {
  const auto works = [](std::optional<double> peak) {
    Watched watched;
    watched.gpu_answer = [peak] { return IsGpuBusy(peak); };
    watched.Run(3);
    return watched.said[2].work != watched.said[0].work;
  };
  CHECK(works(std::nullopt));  // no sample is unknown
  CHECK(works(0.06));
  CHECK_FALSE(works(0.05));
  CHECK_FALSE(works(0));
}

TEST_CASE("activity: distinguishes CPU time, kernels and input", "[agent]") {
  Watched computes;
  computes.options.min_share = -1;  // anything is more than that
  computes.Run(2);
  CHECK(computes.said[1].work != computes.said[0].work);
  Watched kernel;
  kernel.kernel = true;
  kernel.Run(2);
  CHECK(kernel.said[1].kernel);
  CHECK(kernel.said[1].work == kernel.said[0].work);
  Watched person;
  person.Run(2, [](ActivityMonitor& watch) { watch.OnInput(); });
  CHECK_FALSE(person.said[0].input);
  CHECK(person.said[1].input);
}

TEST_CASE("activity: reports input right after a report early", "[agent]") {
  Watched person;
  person.options.interval = absl::Hours(1);
  person.options.min_report_interval = absl::Milliseconds(100);
  person.GiveUpAfter(absl::Seconds(60));
  person.Run(2, [](ActivityMonitor& watch) {
    watch.OnInput();
    watch.OnInput();
  });
  REQUIRE(person.said.size() == 2);
  CHECK(person.said[1].input);
}

}  // namespace
}  // namespace carme::agent
