#include "backend/jobs/agents/job_ca.h"

#include <openssl/x509v3.h>

#include "absl/strings/str_cat.h"
#include "backend/jobs/agents/messages.h"
#include "common/file.h"
#include "common/pki/certificate_request.h"
#include "common/pki/machine_identity.h"
#include "common/pki/x509_maker.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kCaLife = absl::Hours(24 * 365 * 20);
constexpr absl::Duration kSkew = absl::Minutes(5);

// Null only without memory or without P-256 in libcrypto.
X509Ptr MakeCa(EVP_PKEY* key, absl::Time now) {
  X509Ptr made(X509_new());
  X509* ca = made.get();
  const bool ok =
      X509_set_version(ca, X509_VERSION_3) == 1 && SetRandomSerial(ca) &&
      SetTimes(ca, now - kSkew, now + kCaLife) &&
      SetCommonName(X509_get_subject_name(ca), "Carme job CA") &&
      X509_set_issuer_name(ca, X509_get_subject_name(ca)) == 1 &&
      X509_set_pubkey(ca, key) == 1 &&
      AddExtension(ca, ca, NID_basic_constraints,
                   "critical,CA:TRUE,pathlen:0") &&
      AddExtension(ca, ca, NID_key_usage, "critical,keyCertSign") &&
      AddExtension(ca, ca, NID_name_constraints,
                   "critical,permitted;DNS:job.carme,permitted;URI:job") &&
      AddExtension(ca, ca, NID_subject_key_identifier, "hash") && Sign(ca, key);
  return ok ? std::move(made) : nullptr;
}

absl::Status MakeFile(const std::string& path, absl::Time now) {
  const KeyPtr key = NewP256Key();
  const X509Ptr ca = key != nullptr ? MakeCa(key.get(), now) : nullptr;
  if (ca == nullptr) return absl::InternalError("creating the job CA failed");
  // One file, so that a crash leaves both or none.
  return WriteFile(path, ToPem(key.get()) + ToPem(ca.get()), 0600);
}

}  // namespace

absl::StatusOr<JobCa> JobCa::Open(const std::string& path, absl::Time now) {
  absl::StatusOr<std::string> text = ReadSecretFile(path);
  if (absl::IsNotFound(text.status())) {
    RETURN_IF_ERROR(MakeFile(path, now));
    text = ReadSecretFile(path);
  }
  RETURN_IF_ERROR(text.status());
  JobCa ca;
  ca.key_ = KeyFromPem(*text);
  ca.certificate_ = CertificateFromPem(*text);
  if (ca.key_ == nullptr || ca.certificate_ == nullptr ||
      !IsKeyOf(ca.certificate_.get(), ca.key_.get())) {
    return MakeError(job_agent_messages::kInvalidJobCa, {{"path", path}});
  }
  ca.pem_ = ToPem(ca.certificate_.get());
  return ca;
}

absl::StatusOr<std::string> JobCa::Issue(std::string_view csr_pem,
                                         const JobId& job, absl::Time now,
                                         absl::Time until) const {
  ASSIGN_OR_RETURN(const auto key, KeyOfRequest(csr_pem));
  X509Ptr made(X509_new());
  X509* leaf = made.get();
  X509* ca = certificate_.get();
  const bool ok =
      X509_set_version(leaf, X509_VERSION_3) == 1 && SetRandomSerial(leaf) &&
      SetTimes(leaf, now - kSkew, until) &&
      SetCommonName(X509_get_subject_name(leaf), job.value()) &&
      X509_set_issuer_name(leaf, X509_get_subject_name(ca)) == 1 &&
      X509_set_pubkey(leaf, key.get()) == 1 &&
      AddExtension(leaf, ca, NID_basic_constraints, "critical,CA:FALSE") &&
      AddExtension(leaf, ca, NID_key_usage, "critical,digitalSignature") &&
      AddExtension(leaf, ca, NID_ext_key_usage, "serverAuth,clientAuth") &&
      AddExtension(leaf, ca, NID_authority_key_identifier, "keyid:always") &&
      AddExtension(leaf, ca, NID_subject_alt_name,
                   absl::StrCat("URI:", ToUri({MachineRole::kJob, job.value()}),
                                ",DNS:", job.value(), ".job.carme")) &&
      Sign(leaf, key_.get());
  if (!ok) return absl::InternalError("creating the certificate failed");
  return ToPem(leaf);
}

}  // namespace carme::backend
