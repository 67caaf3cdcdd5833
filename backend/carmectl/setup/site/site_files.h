// The files of all hosts of a site.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_FILES_H_
#define CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_FILES_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/carmectl/setup/site/site_answers.h"

namespace carme::carmectl {

// The DNS name in the certificate of each backend.
inline constexpr char kBackendName[] = "carme-backend";

// kPortal: the host of the portal's frontend, at another cluster.
enum class SetupHost { kHead, kDmz, kNode, kPortal };

inline constexpr SetupHost kSetupHosts[] = {
    SetupHost::kHead, SetupHost::kDmz, SetupHost::kNode, SetupHost::kPortal};

// "head", "dmz", "node", "portal".
std::string_view SetupHostName(SetupHost host);

struct PemPair {
  std::string certificate;
  std::string key;
};

// The content of files that setup does not write itself. Has secrets.
struct SiteMaterial {
  std::string ldap_password{};
  std::string ldap_ca{};
  std::string image_sha256{};  // of answers.image
  PemPair browsers{};          // empty: not given
  std::string identity_ca{};   // of a further cluster
  PemPair identity{};
  std::string authority{};
  std::string revocations{};
  PemPair backend{};
  PemPair frontend{};
  PemPair proxy{};
};

// Reads the files that the answers name; `password` replaces that of
// bind_password_file unless it is empty. FAILED_PRECONDITION: a file cannot be
// used. Reads the whole image.
absl::StatusOr<SiteMaterial> LoadMaterial(const SiteAnswers& answers,
                                          const std::string& password);

struct SitePaths {
  std::string config_directory = "/etc/carme";
  std::string prefix = "/usr";  // of Carme's programs, on all hosts
};

struct SetupFile {
  SetupHost host;
  std::string path;
  std::string content;
  mode_t mode = 0644;
  std::string owner = "root";
  std::string group = "root";
};

// The configuration files of the programs. Answers that are still missing are
// empty values. INTERNAL: a template lacks a key.
absl::StatusOr<std::vector<SetupFile>> RenderConfigurations(
    const SiteAnswers& answers, const SiteMaterial& material,
    const SitePaths& paths);

// These, and certificates, secrets, firewall rules and drop-ins of units.
absl::StatusOr<std::vector<SetupFile>> RenderSite(const SiteAnswers& answers,
                                                  const SiteMaterial& material,
                                                  const SitePaths& paths);

// The lines for the configuration of the portal and the identity backend; empty
// unless this is a further cluster.
std::string RenderPortalLines(const SiteAnswers& answers,
                              const SitePaths& paths);

// The lines for slurm.conf, cgroup.conf and plugstack.conf.
std::string RenderSlurmLines(const SiteAnswers& answers,
                             const SitePaths& paths);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_FILES_H_
