#!/usr/bin/env bash
# packages_in_root.sh DIR: the part of packages_test.sh that runs as root of a
# bare Debian. It installs the packages of DIR, an upgrade of them, and purges
# them. deploy/packages/paths.txt has owner and mode of every path.
set -uo pipefail
dir=$1
root=$(realpath "$(dirname "$0")/../..")
# shellcheck disable=SC2034 # a bare Debian is as private as a cluster
CARME_TEST_CLUSTER=1
. "$root/tests/deploy/expect.sh"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
# carme-node needs carme-cli, all others stand alone
packages='carme-doc carme-cli carme-node carme-proxy carme-frontend carme-metrics carme-backend'
units='carme-backend.service carme-impersonator.service
  carme-storage-reader.service carme-frontend.service carme-metrics.service carme-proxy.service
  carme-proxy.socket'
apt_install() {
  apt-get install -qq --yes --no-install-recommends \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    "$@" < /dev/null > /tmp/apt.log 2>&1 || {
    cat /tmp/apt.log
    return 1
  }
}

# Debian 12 has units below /lib, which is /usr/lib.
paths_of() { dpkg -L "$1" | sed -E 's|^/lib/|/usr/lib/|' | sort -u; }

# paths_match PACKAGE: its paths, except directories of other packages, are
# those of the table, with the owner and the mode there.
paths_match() {
  local package=$1 path found owner mode pattern ok=0
  local -A missing=()
  while read -r found _ _ pattern; do
    [ "$found" != "$package" ] || missing[$pattern]=1
  done < "$root/deploy/packages/paths.txt"
  while read -r path; do
    [[ $path == *carme* ]] || [ ! -d "$path" ] || continue
    found=$(table_line "$package" "$path")
    if [ -z "$found" ]; then
      echo "$package $(stat -c '%U:%G %a' "$path") $path: not in paths.txt"
      ok=1
      continue
    fi
    read -r owner mode pattern <<< "$found"
    unset "missing[$pattern]"
    [ "$(stat -c '%U:%G %a' "$path")" = "$owner $mode" ] || {
      echo "$path: $(stat -c '%U:%G %a' "$path"), not $owner $mode"
      ok=1
    }
  done < <(paths_of "$package")
  for pattern in "${!missing[@]}"; do
    echo "$pattern: missing"
    ok=1
  done
  return "$ok"
}

# table_line PACKAGE PATH: owner, mode and pattern of the table's line.
table_line() {
  local package owner mode pattern
  while read -r package owner mode pattern; do
    # shellcheck disable=SC2053 # a pattern
    [[ $package == "$1" && $2 == $pattern ]] || continue
    echo "$owner $mode $pattern"
    return
  done < "$root/deploy/packages/paths.txt"
}

# Everything below /etc is a conffile.
configuration_is_marked() {
  diff <(paths_of "$1" | grep '^/etc/' | while read -r path; do
    [ -d "$path" ] || echo "$path"
  done) <(dpkg-query -Wf '${Conffiles}\n' "$1" | awk 'NF { print $1 }' | sort)
}

# refuses USER PROGRAM FILE: one line that names the file, and status 78.
refuses() {
  local status=0
  runuser -u "$1" -- "$2" > /tmp/refusal 2>&1 || status=$?
  cat /tmp/refusal
  [ "$status" = 78 ] && [ "$(wc -l < /tmp/refusal)" = 1 ] &&
    grep -q "/etc/carme/$3:[0-9]*: not configured: .*delete the line" \
      /tmp/refusal
}

refuse_unconfigured() {
  expect 'carme-backend refuses its new configuration' \
    refuses carme carme-backend backend.toml
  expect 'carme-frontend refuses its new configuration' \
    refuses carme-frontend carme-frontend frontend.toml
  expect 'carme-proxy refuses its new configuration' \
    refuses carme-proxy carme-proxy proxy.toml
  expect 'carme-impersonator refuses its new configuration' \
    refuses root carme-impersonator impersonator.toml
  expect 'carme-metrics refuses its new configuration' \
    refuses carme-metrics carme-metrics metrics.toml
  expect 'carme-storage-reader refuses its new configuration' \
    refuses root carme-storage-reader storage-reader.toml
  expect 'carme-agent refuses its new configuration' \
    refuses nobody /usr/libexec/carme/carme-agent agent.toml
}

# accepts PROGRAM FILE: without the line, which the administrator deletes.
accepts() {
  sed '/^configured = false$/d' "/etc/carme/$2.toml" > "/tmp/$2.toml"
  "$1" --config "/tmp/$2.toml" --check-config
}

units_are() {
  local unit
  for unit in $units; do
    [ "$(systemctl is-enabled "$unit")" = "$1" ] || {
      echo "$unit: $(systemctl is-enabled "$unit")"
      return 1
    }
  done
}

user_is() {
  [ "$(getent passwd "$1" | cut -d: -f6,7)" = /:/usr/sbin/nologin ]
}

rotates() {
  install -d -o carme-proxy -g carme-proxy -m 750 /var/log/carme-proxy &&
    runuser -u carme-proxy -- sh -c \
      'umask 077 && echo GET > /var/log/carme-proxy/access.log' &&
    logrotate --force /etc/logrotate.d/carme-proxy &&
    grep -q GET /var/log/carme-proxy/access.log.1 &&
    [ ! -e /var/log/carme-proxy/access.log ]
}

# upgrade_make: packages like these with a higher version, whose conffiles have
# a line more.
upgrade_make() {
  local file tree=/tmp/upgrade conffile
  mkdir -p /tmp/next
  for file in "$dir"/*.deb; do
    [[ $file != *-dbgsym_* ]] || continue
    rm -rf "$tree"
    dpkg-deb -R "$file" "$tree"
    sed -i -E '/^(Version|Depends):/ s/-1~/-2~/g' "$tree/DEBIAN/control"
    while read -r conffile; do
      echo '# of the next version' >> "$tree$conffile"
    done < <(cat "$tree/DEBIAN/conffiles" 2> /dev/null)
    dpkg-deb --root-owner-group -Znone -b "$tree" /tmp/next > /dev/null || return
  done
}

# proxy_script CURRENT-STATE [VERSION]: what the maintainer script of the proxy
# does where systemd runs, after an upgrade from VERSION.
proxy_script() {
  mkdir -p /run/systemd/system /tmp/fakes
  cat > /tmp/fakes/systemctl << END
#!/bin/sh
echo "\$*" >> /tmp/fakes/calls
case "\$*" in *is-active*) [ $1 = active ] ;; esac
END
  chmod 755 /tmp/fakes/systemctl
  : > /tmp/fakes/calls
  PATH=/tmp/fakes:$PATH DPKG_MAINTSCRIPT_NAME=postinst \
    DPKG_MAINTSCRIPT_PACKAGE=carme-proxy \
    /var/lib/dpkg/info/carme-proxy.postinst configure ${2:+"$2"}
  rmdir /run/systemd/system
  cat /tmp/fakes/calls
}
proxy_replaced() {
  proxy_script "$@" |
    grep -qx -- 'kill --kill-who=main --signal=USR2 carme-proxy.service'
}

has_line() { grep -qx "$1" "$2"; }

# left: what the packages left, apart from the system's users.
left() {
  find / \( -path /proc -o -path /sys -o -path /dev -o -path /root \
    -o -path /tmp -o -path /var/cache -o -path /var/lib/apt \) -prune \
    -o -name '*carme*' -print | sort
}

expect 'the packages need nothing but Debian' apt-get update -qq
expect 'programs that check configuration are installed' \
  apt_install apparmor logrotate
for package in $packages; do
  expect "$package installs" apt_install "$dir/${package}"_*.deb
done

for package in $packages; do
  expect "$package: every path has the owner and mode of the table" \
    paths_match "$package"
  expect "$package: every file in /etc is a conffile" \
    configuration_is_marked "$package"
done
refuse_unconfigured
for pair in carme-backend:backend carme-frontend:frontend carme-metrics:metrics carme-proxy:proxy \
  carme-impersonator:impersonator carme-storage-reader:storage-reader \
  /usr/libexec/carme/carme-agent:agent; do
  expect "${pair%:*} understands its file once it is configured" \
    accepts "${pair%:*}" "${pair#*:}"
done
expect 'the paths of the configurations exist' test \
  -x "$(sed -n 's/^agent = "\(.*\)"/\1/p' /etc/carme/impersonator.toml)" \
  -a -r "$(sed -n 's/^web_root = "\(.*\)"/\1/p' \
    /etc/carme/frontend.toml)/index.html"
expect 'no unit is enabled' units_are disabled
for user in carme carme-frontend carme-metrics carme-proxy; do
  expect "user $user cannot log in and has no home" user_is "$user"
done
expect 'AppArmor understands the profiles' apparmor_parser \
  --skip-kernel-load --skip-cache /etc/apparmor.d/usr.sbin.carme-proxy \
  /etc/apparmor.d/usr.sbin.carme-frontend
expect 'logrotate rotates the access log as its owner' rotates
expect 'users run carme' runuser -u nobody -- carme --version
expect 'administrators run carmectl' carmectl --version

# The administrator configured the proxy; the backend has run.
sed -i '/^configured = false$/d' /etc/carme/proxy.toml
install -d -o carme -g carme -m 700 /var/lib/carme
install -o carme -m 600 /dev/null /var/lib/carme/database
install -d -o carme-proxy -m 700 /var/lib/carme-proxy
install -D -o root -g carme -m 640 /dev/null /etc/carme/tls/backend.key
for unit in $units; do
  systemctl --quiet enable "$unit"
done

expect 'an upgrade is made' upgrade_make
expect 'the packages upgrade' apt_install /tmp/next/*.deb
expect 'an upgrade keeps an edited configuration' fails \
  has_line 'configured = false' /etc/carme/proxy.toml
expect 'an upgrade puts the new one beside it' \
  has_line '# of the next version' /etc/carme/proxy.toml.dpkg-dist
expect 'an upgrade replaces a configuration that was not edited' \
  has_line '# of the next version' /etc/carme/agent.toml
expect 'an upgrade keeps units enabled' units_are enabled
for package in $packages; do
  expect "$package: an upgrade keeps owners and modes" paths_match "$package"
done

expect 'an upgrade replaces a running proxy without closing connections' \
  proxy_replaced active 0.1.0-1~bookworm
refuse 'a proxy that does not run is not started' \
  proxy_replaced inactive 0.1.0-1~bookworm
refuse 'a first installation starts nothing' proxy_replaced active
install -D /dev/null /var/lib/carme/scratch/empty-4-1.ext4

# shellcheck disable=SC2086 # a list
expect 'the packages are removed' apt-get remove -qq --yes $packages
expect 'removal keeps configuration, logs and state' test \
  -e /etc/carme/proxy.toml -a -e /var/log/carme-proxy/access.log.1 \
  -a -e /var/lib/carme/database
expect 'removal keeps no program' fails grep -qv \
  '^/\(etc\|var\|usr/share/doc\)/' <(left)
# shellcheck disable=SC2086 # a list
expect 'the packages are purged' dpkg --purge $packages
expect 'purge keeps the database, the users, files of the administrator, and nothing else' \
  diff <(left) <(printf '%s\n' /etc/carme /var/lib/carme)
expect 'purge keeps the keys of the administrator' \
  diff <(find /etc/carme -type f) <(echo /etc/carme/tls/backend.key)
expect 'purge removes templates of scratch' \
  fails test -e /var/lib/carme/scratch
for user in carme carme-frontend carme-metrics carme-proxy; do
  expect "purge keeps user $user, to which files may belong" user_is "$user"
done
expect 'the database has not changed its owner' test \
  "$(stat -c '%U %a' /var/lib/carme/database)" = 'carme 600'
expect_end
