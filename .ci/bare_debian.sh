# A bare, fully updated Debian made at this moment, with this checkout at
# /root/carme, which reaches the network and the packages as this machine does.
# It shares two caches of this machine: the compiler's ($CCACHE_DIR) and that of
# the image for jobs.

checkout=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
. "$checkout/images/debian.sh"
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}
declare -A host_caches=([ccache]=${CCACHE_DIR:-$cache/ccache}
  [images]=$cache/carme [trees]=/var/cache/carme)
declare -A root_caches=([ccache]=/root/.cache/ccache
  [images]=/root/.cache/carme [trees]=/var/cache/carme)
ROOT_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# bare_debian_create SUITE ROOT [PACKAGE…]
bare_debian_create() {
  local suite=$1 root=$2 site status=0
  shift 2
  site=$(mktemp /var/tmp/carme-apt.XXXXXX)
  # a site's proxy and certificate authorities, where it has them
  apt-config dump | grep -E '^Acquire::https?::' > "$site" || true
  mmdebstrap --quiet --variant=minbase \
    --include="$(printf '%s,' "$@")ca-certificates" \
    --aptopt="$site" "$suite" "$root" - \
    < <(debian_sources "$suite" "$suite-updates" "$suite-security") ||
    status=$?
  rm "$site"
  [ "$status" = 0 ] || return "$status"
  site_files_copy "$root"
  checkout_copy "$root/root/carme"
}

# site_files_copy ROOT: files of this machine, to the same paths.
site_files_copy() {
  local file
  for file in /etc/ssl/certs/ca-certificates.crt /etc/resolv.conf /etc/hosts \
    /etc/npmrc /usr/etc/npmrc /usr/local/etc/npmrc "${NODE_EXTRA_CA_CERTS:-}" \
    "${SSL_CERT_FILE:-}" "${CURL_CA_BUNDLE:-}"; do
    [ ! -f "$file" ] || install -D -m 644 "$(realpath "$file")" "$1$file"
  done
  # npm of Debian reads /usr/local/etc/npmrc, others /usr/etc/npmrc
  [ ! -f /usr/etc/npmrc ] ||
    install -D -m 644 /usr/etc/npmrc "$1/usr/local/etc/npmrc"
}

# site_environment: the lines NAME=VALUE that a command in the root gets.
site_environment() {
  env | grep -E \
    '^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|CURL_CA_BUNDLE|CI|SOURCE_DATE_EPOCH|npm_config_[a-z_]+|https?_proxy|no_proxy)=' ||
    true
}

# Tracked and untracked files of git; all files of an unpacked archive.
checkout_files() {
  git -C "$checkout" -c safe.directory="$checkout" ls-files -z --cached \
    --others --exclude-standard 2> /dev/null ||
    (cd "$checkout" && find . -name build -prune -o -name node_modules -prune \
      -o -type f -print0 -o -type l -print0)
}

# checkout_copy DIR
checkout_copy() {
  mkdir -p "$1"
  checkout_files |
    tar -C "$checkout" --null --ignore-failed-read -T - -c 2> /dev/null |
    tar -C "$1" -x --no-same-owner
}

# The first process of new mount and process namespaces: mounts what the new
# root shares with this machine, makes it /, and becomes the command.
# shellcheck disable=SC2016 # expanded by the shell that runs it
enter_root='
  mount --make-rprivate /
  mount --bind "$ROOT" "$ROOT"
  for tree in dev sys; do mount --rbind "/$tree" "$ROOT/$tree"; done
  mount -t proc proc "$ROOT/proc"
  for tree in run tmp; do mount -t tmpfs tmpfs "$ROOT/$tree"; done
  while read -r from to; do
    mkdir -p "$from" "$ROOT$to"
    mount --bind "$from" "$ROOT$to"
  done <<< "$SHARES"
  kept=()
  [ -z "$KEPT" ] || mapfile -t kept <<< "$KEPT"
  mkdir -p "$ROOT/old"
  cd "$ROOT"
  pivot_root . old
  umount -l /old
  cd /root/carme
  # a shell stays, so that the services that the command starts outlive it
  env -i HOME=/root LANG=C.UTF-8 "${kept[@]}" PATH="$ROOT_PATH" "$@" ||
    exit'

# bare_debian_run ROOT SHARED COMMAND…: in it, at /root/carme. It shares this
# machine's devices and kernel, and the folder SHARED, if any, at /root/share.
bare_debian_run() {
  local ROOT=$1 SHARES='' KEPT name
  for name in "${!host_caches[@]}"; do
    SHARES+="${host_caches[$name]} ${root_caches[$name]}"$'\n'
  done
  SHARES=${SHARES%$'\n'}
  [ -z "$2" ] || SHARES+=$'\n'"$2 /root/share"
  KEPT=$(site_environment)
  shift 2
  export ROOT SHARES KEPT ROOT_PATH
  unshare --mount --pid --fork --kill-child \
    bash -euc "$enter_root" "${0##*/}" "$@" < /dev/null
}
