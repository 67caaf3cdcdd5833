# The one-time setup of a site: certificates, directories and configuration
# files, each on its host and readable by its user only.

# site_install DIR PORT
site_install() {
  local dir=$1
  site_certificates || return 1
  install -m 644 "$dir/pki/ca.pem" "$dir/ca.pem"
  site_file head root 444 ldap-ca.pem < "$dir/ca.pem" || return 1
  ! further || clusters_join || return 1
  local host
  for host in head dmz; do
    site_file "$host" root 444 crl.pem < "$dir/pki/carme/crl.pem" || return 1
  done
  for host in head dmz n1 n2; do
    site_file "$host" root 444 ca.pem < "$dir/pki/carme/ca.pem" || return 1
  done

  site_key head carme backend && site_key dmz carme-frontend frontend &&
    site_key head carme-metrics metrics &&
    site_key dmz carme-proxy proxy && site_key dmz carme-proxy public &&
    site_file head carme 400 ldap-password \
      < <(in_host "$dir" head cat /run/carme-site/bind-password) || return 1

  site_file head root 755 beegfs-ctl < "$here/demo.d/beegfs-ctl" || return 1
  in_host "$dir" head install -m 755 /dev/stdin /run/mail-sink \
    < "$here/demo.d/mail_sink" &&
    site_key head carme-mail mail || return 1
  site_state || return 1
  site_config head impersonator "$2" &&
    site_config head storage-reader "$2" && site_config head backend "$2" &&
    site_file head root 444 node-rules.yaml \
      < "$here/demo.d/config/node-rules.yaml" &&
    site_file head root 444 environment-templates.toml \
      < "$here/config/environment-templates.toml" &&
    site_config head metrics "$2" &&
    site_config dmz frontend "$2" && site_config dmz proxy "$2" &&
    site_config n1 agent "$2" && site_config n2 agent "$2"
}

# Carme's own authority for its programs; the public certificate is from the
# one that the demo's browsers trust.
site_certificates() {
  local pki=$dir/pki/carme
  local issue=("$CARME_CLUSTER_PREFIX/sbin/carmectl" pki issue "$pki")
  "$CARME_CLUSTER_PREFIX/sbin/carmectl" pki init "$pki" &&
    "${issue[@]}" backend head --dns carme-backend --out "$dir/pki/backend" &&
    "${issue[@]}" metrics metrics --dns carme-metrics \
      --out "$dir/pki/metrics" &&
    "${issue[@]}" frontend dmz --out "$dir/pki/frontend" &&
    "${issue[@]}" proxy dmz --out "$dir/pki/proxy" &&
    certificate_issue "$dir/pki" mail DNS:head &&
    certificate_issue "$dir/pki" public \
      'DNS:carme.localhost,DNS:*.jobs.carme.localhost,DNS:carme-jobs.localhost'
}

# site_file HOST USER MODE NAME: standard input becomes /etc/carme/NAME.
site_file() {
  in_host "$dir" "$1" install -D -o "$2" -g "$2" -m "$3" /dev/stdin \
    "/etc/carme/$4"
}

site_key() {
  site_file "$1" root 444 "$3.pem" < "$dir/pki/$3.pem" &&
    site_file "$1" "$2" 400 "$3.key" < "$dir/pki/$3.key"
}

# site_config HOST PROGRAM PORT: no program may write its own configuration.
site_config() {
  local jobs=() image=() web=() rules=() port=$3
  [ -z "${CARME_DEMO_PATHS:-}" ] ||
    jobs=(-e 's/^jobs_domain = .*/jobs_host = "carme-jobs.localhost:@PORT@"/')
  [ -n "$DEMO_IMAGE_SHA256" ] || # it is being built
    image=(-e 's|^sha256 = "@IMAGE_SHA256@"|status_file = "@IMAGE@/base.status"|')
  ! further || {
    jobs=(-e "s/jobs.carme.localhost:@PORT@/jobs-beta.carme.localhost:$3/")
    port=$(cat "$(portal_dir)/port")
  }
  # CARME_DEMO_PACKAGES may be of a release without rules about nodes.
  [ -e "$CARME_CLUSTER_PREFIX/share/carme/node-rules.yaml" ] ||
    rules=(-e '/^\[node_rules\]/,/^$/d')
  # Likewise without the app for files: its table and its name in an image.
  [ -e "$CARME_CLUSTER_PREFIX/libexec/carme/carme-files" ] ||
    rules+=(-e '/^\[\[apps\]\]$/{N;/\nid = "files"/{:a;N;/\n$/!ba;d}}'
      -e '/^apps = /s/"files", //')
  # Likewise without templates for environments.
  [ -e "$CARME_CLUSTER_PREFIX/share/carme/environment-templates.toml" ] ||
    rules+=(-e '/^template_file/d' -e '/^\[environments.packages\]/,/^$/d')
  ! dmz_in_containers || web=(-e 's|/opt/carme/share/|/usr/share/|')
  {
    cat "$here/demo.d/config/$2.toml.in"
    [ "$2" != backend ] || [ -z "${CARME_DEMO_PENDING_IMAGE:-}" ] ||
      printf '%s\n' '[[images]]' 'id = "pending:1"' \
        'path = "@IMAGE@/base.sif"' 'apps = ["shell"]' \
        'status_file = "/run/carme-site/pending.status"'
    clusters_config "$2"
  } | sed "${jobs[@]}" "${image[@]}" "${web[@]}" "${rules[@]}" \
    -e "s/@PORT@/$port/g" -e "s|@APPTAINER@|$DEMO_APPTAINER|g" -e "s|@IMAGE@|$DEMO_IMAGE|g" \
    -e "s/@IMAGE_SHA256@/$DEMO_IMAGE_SHA256/g" |
    site_file "$1" root 444 "$2.toml"
}

# Directories that a systemd unit would make.
site_state() {
  in_host "$dir" head install -d -m 755 /run/carme-impersonator \
    /run/carme-storage-reader &&
    in_host "$dir" head install -d -m 700 -o carme -g carme /run/disk/carme &&
    in_host "$dir" head install -d -m 700 -o carme-mail -g carme-mail \
      /run/carme-mail &&
    in_host "$dir" head install -d -m 700 -o carme-metrics -g carme-metrics \
      /run/disk/carme-metrics &&
    in_host "$dir" head install -d -m 700 -o carme-tsdb -g carme-tsdb \
      /run/disk/carme-tsdb &&
    in_host "$dir" dmz install -d -m 700 -o carme-proxy -g carme-proxy \
      /run/carme-proxy
}
