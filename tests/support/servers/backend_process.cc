#include "tests/support/servers/backend_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <liboath/oath.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "carme/v1/auth.grpc.pb.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/unique_fd.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

namespace carme {
namespace {

constexpr uid_t kCarme = 64101;  // the user "carme" in the cluster

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + "?");
  return value;
}

void Give(const std::string& path, mode_t mode) {
  if (chown(path.c_str(), kCarme, kCarme) != 0 ||
      chmod(path.c_str(), mode) != 0) {
    throw std::runtime_error("cannot give " + path);
  }
}

void Copy(const std::string& from, const std::string& to, mode_t mode) {
  std::filesystem::copy_file(from, to);
  Give(to, mode);
}

// The whole response of a local HTTP server; empty: none.
std::string HttpGet(int port, const std::string& path) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
              sizeof address) != 0 ||
      write(fd.get(), request.data(), request.size()) < 0) {
    return "";
  }
  std::string response;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(fd.get(), buffer, sizeof buffer)) > 0;) {
    response.append(buffer, static_cast<size_t>(got));
  }
  return response;
}

std::string CodeFor(const std::string& secret, absl::Time now) {
  char code[8] = "";
  oath_totp_generate(secret.data(), secret.size(), absl::ToTimeT(now),
                     OATH_TOTP_DEFAULT_TIME_STEP_SIZE, 0, 6, code);
  return code;
}

}  // namespace

SessionCall::SessionCall(const std::string& token) {
  if (!token.empty()) AddMetadata("carme-session", token);
  set_deadline(absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
}

BackendProcess::BackendProcess(const std::string& impersonator_socket,
                               const std::string& apps, int agents_port) {
  chmod(dir_.path().c_str(), 0755);
  std::filesystem::create_directory(dir_.File("state"));
  Give(dir_.File("state"), 0700);
  const IssuedCertificate own =
      authority_.Issue("backend", "DNS:carme-backend");
  Copy(own.certificate_file, dir_.File("backend.pem"), 0644);
  Copy(own.key_file, dir_.File("backend.key"), 0600);
  Copy(authority_.ca_file(), dir_.File("ca.pem"), 0644);
  WriteConfig(impersonator_socket, apps, agents_port);
  Start();
}

BackendProcess::~BackendProcess() {
  if (standby_ > 0) {
    testing::Signal(standby_, SIGKILL);
    waitpid(standby_, nullptr, 0);
  }
  Stop(SIGKILL);
}

void BackendProcess::WriteConfig(const std::string& socket,
                                 const std::string& apps, int agents_port) {
  const std::string text = absl::StrCat(
      "metrics_listen = \"127.0.0.1:", metrics_port_.number(), "\"\n",
      "[listen]\nclients = \"127.0.0.1:0\"\nagents = \"10.77.0.1:", agents_port,
      "\"\n", "[tls]\ncertificate = \"", dir_.File("backend.pem"),
      "\"\nkey = \"", dir_.File("backend.key"), "\"\nclient_ca = \"",
      dir_.File("ca.pem"), "\"\n[state]\ndirectory = \"", dir_.File("state"),
      "\"\n[impersonator]\nsocket = \"", socket,
      "\"\n[portal]\nurl = \"https://carme.test\"\n",
      "jobs_domain = \"jobs.carme.test\"\n[ldap]\nurl = \"",
      Environment("CARME_LDAP_URL"), "\"\nca_file = \"",
      Environment("CARME_LDAP_CA"), "\"\nbind_dn = \"",
      Environment("CARME_LDAP_BIND_DN"), "\"\nbind_password_file = \"",
      Environment("CARME_LDAP_BIND_PASSWORD_FILE"),
      "\"\nuser_base = \"ou=people,", Environment("CARME_LDAP_BASE"),
      "\"\ngroup_base = \"ou=groups,", Environment("CARME_LDAP_BASE"),
      "\"\nallowed_group = \"carme-users\"\nadmin_group = \"carme-admins\"\n",
      "[slurm]\npoll_interval_ms = 200\n",
      "[limits.user]\nmax_gpus_per_job = 2\nmax_running_jobs = 2\n", apps);
  if (!WriteFile(dir_.File("backend.toml"), text, 0644).ok()) {
    throw std::runtime_error("cannot write the configuration");
  }
}

IssuedCertificate BackendProcess::IssueForBackend(const std::string& names) {
  const IssuedCertificate issued = Issue(names);
  const IssuedCertificate copy{dir_.File("issued.pem"),
                               dir_.File("issued.key")};
  Copy(issued.certificate_file, copy.certificate_file, 0644);
  Copy(issued.key_file, copy.key_file, 0600);
  return copy;
}

void BackendProcess::Start() {
  unlink(log_.c_str());  // of the last one
  pid_ = Spawn(log_, nullptr);
  WaitUntilServing();
}

pid_t BackendProcess::Spawn(const std::string& log, const char* host) {
  const std::string config = dir_.File("backend.toml");
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(fd, STDERR_FILENO);
  if (host != nullptr && (unshare(CLONE_NEWUTS) != 0 ||
                          sethostname(host, std::strlen(host)) != 0)) {
    _exit(125);
  }
  if (initgroups("carme", kCarme) != 0 || setgid(kCarme) != 0 ||
      setuid(kCarme) != 0) {
    _exit(126);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execl(CARME_BACKEND, CARME_BACKEND, "--config", config.c_str(), nullptr);
  _exit(127);
}

void BackendProcess::WaitUntilServing() {
  const bool serves = testing::WaitFor([this] {
    std::smatch found;
    const std::string text = Log();
    const std::regex port("clients_port=([0-9]+)");
    if (!std::regex_search(text, found, port)) return false;
    port_ = std::stoi(found[1]);
    return true;
  });
  if (!serves) {
    throw std::runtime_error("the backend does not start:\n" + Log());
  }
}

void BackendProcess::StartStandby() {
  standby_ = Spawn(dir_.File("standby.log"), "standby");
}

double BackendProcess::TakeOver() {
  const absl::Time begun = absl::Now();
  pid_ = standby_;
  standby_ = -1;
  log_ = dir_.File("standby.log");
  WaitUntilServing();
  return absl::ToDoubleSeconds(absl::Now() - begun);
}

void BackendProcess::Stop(int signal) {
  if (pid_ <= 0) return;
  testing::Signal(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void BackendProcess::KillAndRestart() {
  Stop(SIGKILL);
  Start();
}

void BackendProcess::Kill() { Stop(SIGKILL); }

int BackendProcess::Terminate() {
  testing::Signal(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string BackendProcess::Log() const { return ReadFile(log_).value_or(""); }

std::shared_ptr<grpc::Channel> BackendProcess::ConnectAs(
    const std::string& machine) {
  const IssuedCertificate own =
      authority_.Issue(machine, absl::StrCat("URI:carme://", machine, "/dmz"));
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride("carme-backend");
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  arguments.SetInt("grpc.min_reconnect_backoff_ms", 100);
  arguments.SetInt("grpc.max_reconnect_backoff_ms", 200);
  return grpc::CreateCustomChannel(
      absl::StrCat("127.0.0.1:", port_),
      grpc::SslCredentials(
          {.pem_root_certs = ReadFile(authority_.ca_file()).value(),
           .pem_private_key = ReadFile(own.key_file).value(),
           .pem_cert_chain = ReadFile(own.certificate_file).value()}),
      arguments);
}

std::string BackendProcess::LogIn(const std::string& name,
                                  const std::string& password) {
  const auto stub = v1::AuthService::NewStub(ConnectAs("frontend"));
  v1::LoginRequest login;
  login.set_username(name);
  login.set_password(password);
  v1::LoginResponse challenge;
  SessionCall first("");
  const grpc::Status accepted = stub->Login(&first, login, &challenge);
  if (!accepted.ok()) throw std::runtime_error(accepted.error_message());
  const std::string secret =
      Base32Decode(challenge.enrolment().secret()).value_or("");
  v1::VerifyFactorRequest verify;
  verify.set_challenge(challenge.challenge());
  verify.set_totp(CodeFor(secret, absl::Now()));
  v1::VerifyFactorResponse session;
  SessionCall second("");
  const grpc::Status verified = stub->VerifyFactor(&second, verify, &session);
  if (!verified.ok()) throw std::runtime_error(verified.error_message());
  return session.session_token();
}

std::string BackendProcess::Metrics() const {
  const std::string response = HttpGet(metrics_port_.number(), "/metrics");
  const size_t head = response.find("\r\n\r\n");
  return head == std::string::npos ? "" : response.substr(head + 4);
}

std::string BackendProcess::Probe(const std::string& path) const {
  const std::string response = HttpGet(metrics_port_.number(), path);
  return response.substr(0, response.find("\r\n"));
}

long BackendProcess::MemoryKib() const {
  std::ifstream status(absl::StrCat("/proc/", pid_, "/status"));
  std::string word;
  long kib = -1;
  while (status >> word) {
    if (word == "VmRSS:") status >> kib;
  }
  return kib;
}

}  // namespace carme
