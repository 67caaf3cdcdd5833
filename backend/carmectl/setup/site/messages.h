// The messages of `carmectl setup`.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SITE_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_SETUP_SITE_MESSAGES_H_

#include "common/message.h"

namespace carme::carmectl::setup_messages {

// Rules of answers. They name the value, except where it may hold a password.
inline constexpr ErrorTemplate kAnswerMissing{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_MISSING",
    "is empty: an answer is required"};
inline constexpr ErrorTemplate kAnswerNotPrintable{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_PRINTABLE",
    "has a control character, or more than {max} characters"};
inline constexpr ErrorTemplate kAnswerNotHost{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_HOST",
    "is \"{value}\": expected a host name or an IP address"};
inline constexpr ErrorTemplate kAnswerNotPublicName{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_PUBLIC_NAME",
    "is \"{value}\": expected a DNS name such as carme.example.org, with a "
    "port unless it is 443"};
inline constexpr ErrorTemplate kAnswerNotAddress{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_ADDRESS",
    "is \"{value}\": expected IP addresses, such as 192.0.2.10"};
inline constexpr ErrorTemplate kAnswerNotNetwork{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_NETWORK",
    "is \"{value}\": expected addresses or networks, such as 10.1.0.0/16"};
inline constexpr ErrorTemplate kAnswerUrlCredentials{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_URL_CREDENTIALS",
    "contains \"@\": a password does not belong in an address; use bind_dn and "
    "bind_password_file"};
inline constexpr ErrorTemplate kAnswerNotLdapUrl{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_LDAP_URL",
    "is \"{value}\": expected ldaps://HOST[:PORT], ldap://HOST[:PORT] with "
    "start_tls, or ldapi://%2Fpath, separated by spaces"};
inline constexpr ErrorTemplate kAnswerNotPath{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_PATH",
    "is \"{value}\": expected an absolute path of letters, digits and . _ - + "
    "/"};
inline constexpr ErrorTemplate kAnswerNotDn{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_DN",
    "is \"{value}\": expected a DN, such as ou=people,dc=example,dc=org"};
inline constexpr ErrorTemplate kAnswerNotName{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_NAME",
    "is \"{value}\": expected a name of letters, digits and . _ - @ +"};
inline constexpr ErrorTemplate kAnswerNotFeature{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_FEATURE",
    "is \"{value}\": expected 1 to 64 letters, digits and _"};
inline constexpr ErrorTemplate kAnswerNotCluster{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_CLUSTER",
    "is \"{value}\": expected 1 to 64 letters, digits, _, - and ."};
inline constexpr ErrorTemplate kAnswerNotHostAndPort{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_HOST_AND_PORT",
    "is \"{value}\": expected host:port, such as head-alpha.example.org:9443"};
inline constexpr ErrorTemplate kAnswerNotIssuerKey{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_ISSUER_KEY",
    "is \"{value}\": expected the issuer_key of the line \"authenticating "
    "users "
    "of further clusters\" in the journal of the identity backend"};
inline constexpr ErrorTemplate kAnswerNotKind{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_KIND",
    "is \"{value}\": expected posix or active-directory"};
inline constexpr ErrorTemplate kAnswerNotYesOrNo{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NOT_YES_OR_NO",
    "is \"{value}\": expected yes or no"};
inline constexpr ErrorTemplate kAnswerJobsName{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_JOBS_NAME",
    "expected exactly one of jobs_domain and jobs_host; the portal's own name "
    "must not be either of them, nor be below jobs_domain"};
inline constexpr ErrorTemplate kAnswerPair{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_PAIR",
    "{first} and {second} must both be given, or neither"};
inline constexpr ErrorTemplate kAnswerClusterName{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_CLUSTER_NAME",
    "name is missing: with several clusters each needs a name"};
inline constexpr ErrorTemplate kAnswerClusterBoth{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_CLUSTER_BOTH",
    "further and identity_backend exclude each other: only the identity "
    "backend authenticates users of further clusters"};
inline constexpr ErrorTemplate kAnswerClusterRepeated{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_CLUSTER_REPEATED",
    "further must not name a cluster twice, nor this one"};
inline constexpr ErrorTemplate kAnswerIdentityBackend{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_IDENTITY_BACKEND",
    "identity_backend, identity_ca, identity_certificate, identity_key and "
    "issuer_key must all be given, or none"};
inline constexpr ErrorTemplate kAnswerLdapTls{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_LDAP_TLS",
    "ldap:// requires start_tls = true; ldaps:// and ldapi:// exclude it"};
inline constexpr ErrorTemplate kAnswerLdapCa{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_LDAP_CA",
    "ca_file is missing: the certificate authority of the LDAP servers"};

inline constexpr ErrorTemplate kAnswerNoImage{
    absl::StatusCode::kInvalidArgument, "SETUP_ANSWER_NO_IMAGE",
    "image is missing: without it and with node_system = false users cannot "
    "start jobs"};

// Where setup writes.
inline constexpr ErrorTemplate kNotRoot{
    absl::StatusCode::kPermissionDenied, "SETUP_NOT_ROOT",
    "setup writes files of several accounts: run it as root, or only try the "
    "answers with --check"};
inline constexpr ErrorTemplate kNoTerminal{
    absl::StatusCode::kFailedPrecondition, "SETUP_NO_TERMINAL",
    "standard input is not a terminal: use --answers FILE; "
    "--print-answers prints an example"};
inline constexpr ErrorTemplate kDirectoryUnsafe{
    absl::StatusCode::kPermissionDenied, "SETUP_DIRECTORY_UNSAFE",
    "{problem}: setup writes keys, so only the calling user may be able to "
    "write there; choose another --directory"};
inline constexpr ErrorTemplate kDirectoryNotDirectory{
    absl::StatusCode::kFailedPrecondition, "SETUP_DIRECTORY_NOT_DIRECTORY",
    "\"{path}\" is a link or not a directory: choose another path"};
inline constexpr ErrorTemplate kDirectoryForeignFile{
    absl::StatusCode::kAlreadyExists, "SETUP_DIRECTORY_FOREIGN_FILE",
    "\"{path}\" has \"{name}\", which setup did not write: move it elsewhere, "
    "or choose another --directory"};
inline constexpr ErrorTemplate kTargetNotFile{
    absl::StatusCode::kFailedPrecondition, "SETUP_TARGET_NOT_FILE",
    "\"{path}\" is a link or not a file: remove it, then run setup again"};
inline constexpr ErrorTemplate kTargetConfigured{
    absl::StatusCode::kAlreadyExists, "SETUP_TARGET_CONFIGURED",
    "\"{path}\" exists with other content: nothing was written. --replace "
    "replaces it and keeps a copy"};
inline constexpr ErrorTemplate kAccountMissing{
    absl::StatusCode::kNotFound, "SETUP_ACCOUNT_MISSING",
    "the account \"{account}\" does not exist: install {package} on this host "
    "first, or use --stage-only"};
inline constexpr ErrorTemplate kAuthorityMissing{
    absl::StatusCode::kNotFound, "SETUP_AUTHORITY_MISSING",
    "\"{path}\" is not there, but an earlier run created it: copy the site's "
    "authority back, or use --new-authority, which needs new certificates on "
    "every host"};
inline constexpr ErrorTemplate kInterrupted{absl::StatusCode::kCancelled,
                                            "SETUP_INTERRUPTED",
                                            "stopped: nothing was written"};
inline constexpr ErrorTemplate kTrialFailed{
    absl::StatusCode::kFailedPrecondition, "SETUP_TRIAL_FAILED",
    "nothing was written: correct the {errors} errors above, or skip all "
    "trials with --offline"};
inline constexpr ErrorTemplate kTemplateKey{
    absl::StatusCode::kInternal, "SETUP_TEMPLATE_KEY",
    "the template has no key \"{key}\" in \"{table}\""};
inline constexpr ErrorTemplate kPrivateFileUnreadable{
    absl::StatusCode::kFailedPrecondition, "SETUP_PRIVATE_FILE_UNREADABLE",
    "{key}: {error}"};
inline constexpr ErrorTemplate kAddressNotLocal{
    absl::StatusCode::kFailedPrecondition, "SETUP_ADDRESS_NOT_LOCAL",
    "\"{address}\" is not an address of this host: {error}"};
inline constexpr ErrorTemplate kPathTooLong{
    absl::StatusCode::kInvalidArgument, "SETUP_PATH_TOO_LONG",
    "\"{path}\" is too long for a tar file"};

// The conversation.
inline constexpr MessageTemplate kWelcome{
    "carmectl setup asks for what Carme must know about your site and tries "
    "each answer at once.\n"
    "Press Enter for the value in brackets; - for none. Ctrl-C stops, and "
    "nothing is written\nbefore the last question.\n"};
inline constexpr MessageTemplate kPasswordQuestion{
    "Password of {account} (not shown): "};
inline constexpr MessageTemplate kPasswordKept{
    "Password of {account} (not shown; Enter keeps the present one): "};
inline constexpr MessageTemplate kChoiceBlocked{
    "Answer again (a) or stop (s)? [a] "};
inline constexpr MessageTemplate kChoiceAcceptable{
    "Answer again (a), continue with this (c) or stop (s)? [a] "};
inline constexpr MessageTemplate kWriteQuestion{
    "Write the files of all hosts to {directory}{install}? (yes or no) "};
inline constexpr MessageTemplate kWriteInstall{
    " and install those of this "
    "host"};
inline constexpr MessageTemplate kFindingLine{
    "  {severity}: {problem}\n    {why}\n    Remedy: {remedy}\n"};
inline constexpr MessageTemplate kTrying{"Trying: {checks} ...\n"};
inline constexpr MessageTemplate kTrialGood{"  OK\n"};
inline constexpr MessageTemplate kChecked{"All answers work.\n"};
inline constexpr MessageTemplate kCheckedOffline{
    "The answers are complete; none was tried (--offline).\n"};
inline constexpr MessageTemplate kFoundSlurm{
    "Found Slurm cluster {cluster}; controllers: {controllers}; nodes: "
    "{nodes}; accounting: {accounting}.\n"};
inline constexpr MessageTemplate kUnreadableProposal{
    "{path} cannot be used for proposals: {error}\n"};
inline constexpr MessageTemplate kNoPublicCertificate{
    "Before you start carme-proxy, put the certificate for browsers on the DMZ "
    "host as\n/etc/carme/public.pem and public.key (root:carme-proxy, 0640); "
    "see certificates.md.\n"};
inline constexpr MessageTemplate kPortalSteps{
    "At the portal: portal.tar has files for the host of its frontend, and "
    "portal.txt the lines\nfor the frontend and the identity backend.\n"};
inline constexpr MessageTemplate kClusterCertificates{
    "The backends of the further clusters need pki/ca.pem, and their "
    "certificate and key from pki/.\n"};
inline constexpr MessageTemplate kCopyKept{"Kept the replaced file: {path}\n"};
inline constexpr MessageTemplate kStagedHead{
    "     tar -C / --backup=numbered -xpf {directory}/head.tar\n"};
inline constexpr MessageTemplate kNextSteps{
    "\nWritten to {directory}:\n"
    "  head.tar, dmz.tar, node.tar   the files of each host\n"
    "  slurm.txt                     lines for Slurm's configuration files\n"
    "  pki/                          the site's authority: move it to a host "
    "without Carme\n"
    "  answers.toml                  your answers, for the next run\n\n"
    "1. On this host{head_note}:\n{head_command}"
    "     systemctl daemon-reload\n"
    "     systemctl enable --now carme-impersonator carme-storage-reader "
    "carme-backend\n"
    "2. Copy dmz.tar to the DMZ host, and there:\n"
    "     tar -C / --backup=numbered -xpf dmz.tar\n"
    "     systemctl enable --now carme-frontend carme-proxy.socket "
    "carme-proxy\n"
    "3. Copy node.tar to each compute node, and there:\n"
    "     tar -C / --backup=numbered -xpf node.tar\n"
    "4. Add the lines of slurm.txt, restart slurmctld and slurmd, then:\n"
    "     scontrol reconfigure\n"
    "5. On this host and the nodes, include /etc/carme/firewall.nft in "
    "/etc/nftables.conf, then:\n"
    "     systemctl enable nftables && systemctl restart nftables\n"
    "6. On each host:\n"
    "     carmectl doctor\n"
    "Delete copied tar files: they contain keys.\n"};

}  // namespace carme::carmectl::setup_messages

#endif  // CARME_BACKEND_CARMECTL_SETUP_SITE_MESSAGES_H_
