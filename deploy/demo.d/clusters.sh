# CARME_DEMO_CLUSTERS=2: a second demo, "beta", in the folder `beta` of the first
# one, "alpha", whose backend authenticates users for both. Beta has a Slurm, a
# directory, a backend and a proxy of its own, and no frontend. Its demo.json and
# logs are in its folder, and CARME_DEMO_DIR names it for `exec` and `status`.
#
# The two networks have the same addresses. Their routers translate those of
# connections between the clusters, and let only backends and frontend through.

ALPHA_LINK=10.78.0.1
BETA_LINK=10.78.0.2

# Whether this is alpha; further() of state.sh: whether it is beta.
two_clusters() { [ "${CARME_DEMO_CLUSTERS:-}" = 2 ]; }

# further_up: starts beta, then adds it to the portal.
further_up() {
  mkdir -p "$dir/beta"
  CARME_DEMO_DIR=$dir/beta CARME_DEMO_IDENTITY=$dir \
    CARME_DEMO_BUILD_DIR=$build CARME_DEMO_CLUSTERS='' "$here/demo" up \
    < /dev/null > "$dir/log/beta.log" 2>&1 || {
    step_output
    tail -n 30 "$dir/log/beta.log" >&2
    fail 'the cluster beta did not start'
  }
  # As an administrator adds a cluster to a portal in use.
  in_host "$dir" dmz sh -c 'cat >> /etc/carme/frontend.toml' <<- END
	
	[[clusters]]
	name = "beta"
	address = "$BETA_LINK:9443"
	server_name = "carme-backend"
	jobs_domain = "jobs-beta.carme.localhost:$(cat "$dir/beta/port")"
	ca = "/etc/carme/beta-ca.pem"
	crl = "/etc/carme/beta-crl.pem"
	certificate = "/etc/carme/beta-frontend.pem"
	key = "/etc/carme/beta-frontend.key"
	END
  kill "$(cat "$dir/pids/carme-frontend")"
  wait_for 120 portal_has_beta || fail 'the portal does not show the cluster beta'
}

portal_has_beta() {
  curl --silent --max-time 2 --cacert "$dir/ca.pem" \
    --resolve "carme.localhost:$(cat "$dir/port"):127.0.0.1" \
    "$(portal_origin)/" | grep -q 'content="alpha,beta"'
}

# clusters_config PROGRAM: what its configuration has beyond that of one cluster.
clusters_config() {
  local cluster=
  ! further || cluster=beta
  ! two_clusters || cluster=alpha
  case $cluster:$1 in
    alpha:backend)
      printf '%s\n' '' '[cluster]' 'name = "alpha"' '' \
        '[[identity.clusters]]' 'name = "beta"'
      ;;
    alpha:frontend) echo 'cluster = "alpha"' ;; # in [backend]
    beta:backend)
      printf '%s\n' '' '[cluster]' 'name = "beta"' '' '[identity]' \
        "address = \"$ALPHA_LINK:9443\"" 'server_name = "carme-backend"' \
        'ca = "/etc/carme/alpha-ca.pem"' 'crl = "/etc/carme/alpha-crl.pem"' \
        'certificate = "/etc/carme/cluster.pem"' \
        'key = "/etc/carme/cluster.key"' "issuer_key = \"$(issuer_key)\""
      ;;
  esac
}

issuer_key() {
  sed -n 's/.*issuer_key=\([^ ]*\).*/\1/p' "$(portal_dir)/log/carme-backend.log" |
    tail -n 1
}

# clusters_join: in beta, before its programs start: the link to alpha, and the
# certificates with which the two clusters authenticate each other.
clusters_join() {
  local alpha beta=$dir
  alpha=$(portal_dir)
  link_create "$alpha" "$beta" &&
    link_pass "$alpha" "$ALPHA_LINK" beta \
      'iifname "dmz" oifname "beta" tcp dport 9443 accept comment "frontend to the backend of beta"' \
      'iifname "beta" oifname "head" tcp dport 9443 accept comment "backend of beta to the identity backend"' &&
    link_pass "$beta" "$BETA_LINK" alpha \
      'iifname "head" oifname "alpha" tcp dport 9443 accept comment "backend to the identity backend"' \
      'iifname "alpha" oifname "head" tcp dport 9443 accept comment "frontend of the portal to the backend"' ||
    return 1
  local carmectl=$CARME_CLUSTER_PREFIX/sbin/carmectl
  "$carmectl" pki issue "$alpha/pki/carme" cluster beta \
    --out "$beta/pki/cluster" &&
    cp "$beta/pki/frontend.pem" "$alpha/pki/beta-frontend.pem" &&
    cp "$beta/pki/frontend.key" "$alpha/pki/beta-frontend.key" &&
    certificate_issue "$alpha/pki" public-beta \
      'DNS:*.jobs-beta.carme.localhost' &&
    cp "$alpha/pki/public-beta.pem" "$beta/pki/public.pem" &&
    cp "$alpha/pki/public-beta.key" "$beta/pki/public.key" &&
    site_file head root 444 alpha-ca.pem < "$alpha/pki/carme/ca.pem" &&
    site_file head root 444 alpha-crl.pem < "$alpha/pki/carme/crl.pem" &&
    site_key head carme cluster || return 1
  local dir=$alpha # of site_file
  site_file dmz root 444 beta-ca.pem < "$beta/pki/carme/ca.pem" &&
    site_file dmz root 444 beta-crl.pem < "$beta/pki/carme/crl.pem" &&
    site_key dmz carme-frontend beta-frontend
}

# link_create ALPHA BETA: between the routers of the demos in these folders.
link_create() {
  local alpha beta
  alpha=$(fabric_pid "$1") && beta=$(fabric_pid "$2") || return 1
  nsenter --target "$alpha" --net ip link add beta type veth \
    peer name alpha netns "$beta"
}

fabric_pid() { awk '$1 == "fabric" { print $2 }' "$1/hosts" | grep .; }

# link_pass DIR ADDRESS LINK RULE…: the end of the link at the router of DIR.
link_pass() {
  local demo=$1 address=$2 link=$3 rule host
  shift 3
  in_host "$demo" fabric ip address add "$address/24" dev "$link" &&
    in_host "$demo" fabric ip link set "$link" up || return 1
  for host in head dmz; do
    in_host "$demo" "$host" ip route add 10.78.0.0/24 via 10.77.0.254 || return 1
  done
  for rule; do
    in_host "$demo" fabric nft insert rule inet carme forward "$rule" || return 1
  done
  in_host "$demo" fabric nft -f /dev/stdin <<- END
	table ip carme_clusters {
	  chain prerouting {
	    type nat hook prerouting priority dstnat;
	    iifname "$link" tcp dport 9443 dnat to 10.77.0.1
	  }
	  chain postrouting {
	    type nat hook postrouting priority srcnat;
	    oifname "$link" masquerade
	  }
	}
	END
}
