// Breakages of the directory, the name service, MUNGE, Slurm and images.
#include "tests/backend/carmectl/doctor/doctor_site.h"

namespace carme::carmectl {
namespace {

constexpr char kSlurmConfig[] = "slurm/config";

const std::vector<Breakage> kClusterBreakages = {
    {"directory-not-checked", "directory",
     [](DoctorSite& site) { site.Remove("bin/carme-directory-probe"); }},
    {"directory-setup", "directory",
     [](DoctorSite& site) {
       site.WriteTool("carme-directory-probe", "echo 'no CA' >&2; exit 1");
     }},
    {"directory-unavailable", "directory",
     [](DoctorSite& site) {
       site.WriteTool("carme-directory-probe",
                      "printf 'server\\tldaps://ldap.test\\tno route\\n'");
     }},
    {"directory-group-missing", "directory",
     [](DoctorSite& site) {
       site.WriteTool("carme-directory-probe",
                      "printf 'group\\tcarme-users\\tno such group\\n'");
     }},
    {"nss-group-missing", "name-service",
     [](DoctorSite& site) {
       site.Replace("etc/impersonator.toml", "carme-users", "carme-people");
     }},
    {"nss-user-missing", "name-service",
     [](DoctorSite& site) { site.Replace("bin/getent", "passwd bob", "x"); }},
    {"nss-uid-differs", "name-service",
     [](DoctorSite& site) { site.Replace("bin/getent", "20002", "30002"); }},
    {"nss-not-compared", "name-service",
     [](DoctorSite& site) { site.Replace("bin/getent", "ada,bob", ""); }},
    {"nss-not-compared", "name-service",
     [](DoctorSite& site) { site.options.users = {"stranger"}; }},
    {"munge-unavailable", "munge",
     [](DoctorSite& site) {
       site.WriteTool("munge", "echo 'Did you start munged?' >&2; exit 6");
     }},
    {"munge-unavailable", "munge",
     [](DoctorSite& site) { site.Remove("bin/munge"); }},
    {"munge-decode-failed", "munge",
     [](DoctorSite& site) {
       site.WriteTool("unmunge", "echo 'STATUS: Rewound credential'; exit 16");
     }},
    {"slurm-unavailable", "slurm",
     [](DoctorSite& site) {
       site.WriteTool("scontrol", "echo 'Unable to contact' >&2; exit 1");
     }},
    {"slurm-release-differs", "slurm",
     [](DoctorSite& site) {
       site.Replace(kSlurmConfig, "22.05.8", "21.08.1");
     }},
    {"slurm-cluster-name-missing", "slurm",
     [](DoctorSite& site) { site.Replace(kSlurmConfig, "= test", "="); }},
    {"slurm-feature-missing", "slurm",
     [](DoctorSite& site) { site.Replace("slurm/nodes", "carme", "other"); }},
    {"slurm-prolog-flags", "slurm",
     [](DoctorSite& site) { site.Replace(kSlurmConfig, "Alloc", "(null)"); }},
    {"slurm-srun-port-range", "slurm",
     [](DoctorSite& site) {
       site.Replace(kSlurmConfig, "60001-60100", "0-0");
     }},
    {"hook-not-configured", "slurm-hooks",
     [](DoctorSite& site) {
       site.Replace(kSlurmConfig, site.File("opt/carme/epilog"), "(null)");
     }},
    {"hook-missing", "slurm-hooks",
     [](DoctorSite& site) { site.Remove("opt/carme/prolog"); }},
    {"hook-missing", "slurm-hooks",
     [](DoctorSite& site) { site.SetMode("opt/carme/prolog", 0644); }},
    {"hook-writable", "slurm-hooks",
     [](DoctorSite& site) { site.SetMode("opt/carme/epilog", 0775); }},
    {"hook-of-site", "slurm-hooks",
     [](DoctorSite& site) {
       site.Write("opt/site/prolog", "#!/bin/sh\n", 0755);
       site.Replace(kSlurmConfig, site.File("opt/carme/prolog"),
                    site.File("opt/site/prolog"));
     }},
    {"spank-plugin-missing", "spank-plugin",
     [](DoctorSite& site) { site.Write("slurm/plugstack.conf", "# none\n"); }},
    {"spank-plugin-optional", "spank-plugin",
     [](DoctorSite& site) {
       site.Replace("slurm/plugstack.conf", "required", "optional");
     }},
    {"spank-plugin-file", "spank-plugin",
     [](DoctorSite& site) { site.Remove("opt/carme/spank_carme_env.so"); }},
    {"cgroup-task-plugin-missing", "confinement",
     [](DoctorSite& site) { site.Replace(kSlurmConfig, "task/cgroup,", ""); }},
    {"cgroup-proctrack-missing", "confinement",
     [](DoctorSite& site) {
       site.Replace(kSlurmConfig, "proctrack/cgroup", "proctrack/linuxproc");
     }},
    {"cgroup-devices-unconstrained", "confinement",
     [](DoctorSite& site) {
       site.Replace(kSlurmConfig, "ConstrainDevices        = yes",
                    "ConstrainDevices        = no");
     }},
    {"cgroup-memory-unconstrained", "confinement",
     [](DoctorSite& site) {
       site.Replace(kSlurmConfig, "ConstrainRAMSpace       = yes",
                    "ConstrainRAMSpace       = no");
     }},
    {"cgroup-version-differs", "confinement",
     [](DoctorSite& site) {
       site.Remove("root/sys/fs/cgroup/cgroup.controllers");
     }},
    {"confinement-job-not-run", "confinement-job",
     [](DoctorSite& site) {
       site.WriteTool("srun", "echo 'Requested nodes are busy' >&2; exit 1");
     }},
    {"confinement-job-not-run", "confinement-job",
     [](DoctorSite& site) { site.Replace("slurm/nodes", "carme", "other"); }},
    {"job-outside-control-group", "confinement-job",
     [](DoctorSite& site) { site.WriteTool("srun", "echo cgroup=no"); }},
    {"node-clock-wrong", "confinement-job",
     [](DoctorSite& site) {
       site.Replace("bin/srun", "time=$(/bin/date +%s)",
                    "time=$(($(/bin/date +%s) + 300))");
     }},
    {"node-clock-wrong", "confinement-job",
     [](DoctorSite& site) {
       site.Replace("bin/srun", "time=$(/bin/date +%s)",
                    "time=$(($(/bin/date +%s) - 300))");
     }},
    {"node-uid-differs", "confinement-job",
     [](DoctorSite& site) {
       site.Replace("bin/srun", "echo job=7", "echo job=7; echo uid=99999");
     }},
    {"node-uid-differs", "confinement-job",  // the node does not know the user
     [](DoctorSite& site) {
       site.Replace("bin/srun", "echo job=7", "echo job=7; echo uid=");
     }},
    {"node-munge-refused", "confinement-job",  // by the node
     [](DoctorSite& site) {
       site.Replace("bin/srun", "echo credential",
                    "read -r c && echo refused=$c; echo credential");
     }},
    {"node-munge-refused", "confinement-job",  // by this host
     [](DoctorSite& site) {
       site.WriteTool("unmunge", "read -r c; [ $c != MUNGE:node: ] || exit 16");
     }},
    {"node-munge-refused", "confinement-job",  // the node has no munged
     [](DoctorSite& site) {
       site.Replace("bin/srun",
                    "credential=MUNGE:node:", "munge='Did you start munged?'");
     }},
    {"hook-slow", "confinement-job",  // the Prolog
     [](DoctorSite& site) {
       site.Replace("bin/scontrol", "StartTime=2", "StartTime=1");
     }},
    {"hook-slow", "confinement-job",  // the Epilog
     [](DoctorSite& site) {
       site.options.max_hook_time = absl::Milliseconds(1);
       site.Replace("bin/scontrol", "COMPLETED", "COMPLETING");
     }},
    {"job-opens-foreign-gpu", "confinement-job",
     [](DoctorSite& site) {
       site.WriteTool("srun", "echo cgroup=yes; echo open=/dev/nvidia0");
     }},
    {"apptainer-missing", "images",
     [](DoctorSite& site) { site.Remove("bin/apptainer"); }},
    {"fuse-unusable", "images",
     [](DoctorSite& site) { site.SetMode("root/dev/fuse", 0600); }},
    {"fuse-unusable", "images",
     [](DoctorSite& site) { site.Remove("root/dev/fuse"); }},
    {"user-namespaces-denied", "images",
     [](DoctorSite& site) {
       site.Write("root/proc/sys/user/max_user_namespaces", "0\n");
     }},
    {"image-store-missing", "image-store",
     [](DoctorSite& site) { site.Remove("images/store"); }},
    {"image-store-owner", "image-store",
     [](DoctorSite& site) { site.SetMode("images/incoming", 0777); }},
    {"image-store-owner", "image-store",  // the account does not exist
     [](DoctorSite& site) {
       site.Replace("bin/getent", "passwd images", "passwd other");
     }},
    {"image-missing", "image-store",
     [](DoctorSite& site) { site.Remove("images/base.sif"); }},
    {"image-writable", "image-store",
     [](DoctorSite& site) { site.SetMode("images/base.sif", 0666); }},
};

}  // namespace

const std::vector<Breakage>& ClusterBreakages() { return kClusterBreakages; }

}  // namespace carme::carmectl
