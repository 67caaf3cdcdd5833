// A host with all of Carme's programs, in a temporary directory, on which
// `carmectl doctor` finds nothing wrong. A test breaks one thing of it.
//
// Files, certificates, the database and TLS are real. Tools such as scontrol
// are scripts that print what the real ones do; doctor_server_test has the real
// ones.
#ifndef CARME_TESTS_BACKEND_CARMECTL_DOCTOR_DOCTOR_SITE_H_
#define CARME_TESTS_BACKEND_CARMECTL_DOCTOR_DOCTOR_SITE_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/carmectl/doctor/doctor_report.h"
#include "backend/carmectl/doctor/host/host.h"
#include "backend/carmectl/doctor/host/name_resolver.h"
#include "backend/carmectl/pki/signing.h"
#include "common/pki/x509_maker.h"
#include "common/unique_fd.h"
#include "tests/backend/carmectl/doctor/tls_listener.h"
#include "tests/support/temp_dir.h"

namespace carme::carmectl {

// Names with an address; "*.DOMAIN" is every name below it.
class FakeNameResolver : public NameResolver {
 public:
  absl::StatusOr<std::vector<net::Address>> Resolve(const std::string& host,
                                                    int port) const override;
  std::map<std::string, std::string> ips;
};

// A breakage of the site, and the finding that it must lead to.
struct Breakage {
  std::string_view finding;
  std::string_view check;
  void (*apply)(class DoctorSite&);
  bool needs_root = false;
};

class DoctorSite {
 public:
  DoctorSite();
  ~DoctorSite();

  // What a check reports; all checks with "".
  std::vector<Finding> Run(const std::string& check);
  DoctorReport Report(const CheckSelection& selection);

  std::string File(const std::string& name) const { return dir_.File(name); }
  void Write(const std::string& name, std::string_view text,
             mode_t mode = 0644);
  // Replaces `from`, which must be in the file.
  void Replace(const std::string& name, const std::string& from,
               const std::string& to);
  void Remove(const std::string& name);
  void SetMode(const std::string& name, mode_t mode);
  // The file belongs to another user. Needs root.
  void GiveAway(const std::string& name);
  // A program in the directory of tools; `script` is the body for sh.
  void WriteTool(const std::string& name, const std::string& script);

  struct CertificateOptions {
    std::string stem;  // "pki/proxy"
    MachineIdentity identity;
    std::vector<std::string> dns_names{};
    absl::Duration from = -absl::Hours(1);
    absl::Duration until = absl::Hours(24 * 100);
    bool other_authority = false;
  };
  void Issue(const CertificateOptions& options);
  // Replaces the revocation list by one with this certificate.
  void Revoke(const std::string& certificate);
  // A backend of the host is active; `age` since it renewed its lease.
  void WriteLease(const std::string& host,
                  absl::Duration age = absl::ZeroDuration());
  // Lets the backend listen at an address at which it does not.
  void CloseBackendPort();
  // What the proxy saved of its routes: where the agents of jobs listen.
  void WriteRoutes(const std::vector<std::pair<std::string, int>>& agents);
  // "PRAGMA user_version" of the database.
  void SetSchemaVersion(unsigned char version);

  HostOptions options;
  FakeNameResolver resolver;
  TlsListener& portal() { return *agents_port_; }

 private:
  void WritePki();
  void WriteConfiguration();
  void WriteState();
  void WriteSystem();
  void WriteTools();

  TempDir dir_;
  const absl::Time now_;
  KeyPtr authority_key_;
  X509Ptr authority_;
  std::unique_ptr<TlsListener> clients_port_;
  std::unique_ptr<TlsListener> agents_port_;
  std::vector<UniqueFd> sockets_;
};

// Breakages of this host's files and connections, and of what the cluster
// reports: at least one for each finding.
const std::vector<Breakage>& HostBreakages();
const std::vector<Breakage>& ClusterBreakages();

}  // namespace carme::carmectl

#endif  // CARME_TESTS_BACKEND_CARMECTL_DOCTOR_DOCTOR_SITE_H_
