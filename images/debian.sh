# Debian's archive, as this machine reaches it, for other suites than its own.
# apt checks every signature against Debian's keyring. Nothing of the machine's
# own apt is changed, and of its settings only mirror and proxy matter.

# debian_mirror SUITE: where packages of that suite come from.
debian_mirror() {
  local kind=debian found
  [[ $1 != *-security ]] || kind=debian-security
  # shellcheck disable=SC2016 # apt's variable
  found=$(apt-get indextargets --format '$(REPO_URI)' 2> /dev/null |
    grep -m 1 -E "/$kind/?\$") || true
  echo "${found:-http://deb.debian.org/$kind}"
}

# debian_sources SUITE…: the lines of a sources.list.
debian_sources() {
  local suite
  for suite in "$@"; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
      "$(debian_mirror "$suite") $suite main"
  done
}

# debian_prepare DIR SUITE…: DIR is what debian_apt works in from now on.
debian_prepare() {
  local dir=$1
  shift
  mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
  touch "$dir/status"
  debian_sources "$@" > "$dir/sources.list"
  cat > "$dir/apt.conf" << END
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::Lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::Cache "$dir/cache";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
END
}

# debian_apt DIR get|cache WORD…: apt-get or apt-cache there.
debian_apt() {
  local dir=$1 program=apt-$2
  shift 2
  APT_CONFIG=$dir/apt.conf "$program" -q "$@"
}
