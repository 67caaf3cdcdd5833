# A network of four hosts, each with its own link to a router, so that all
# traffic between two hosts passes the router's firewall.

HOST_ADDRESSES='head:10.77.0.1 dmz:10.77.0.2 n1:10.77.0.11 n2:10.77.0.12'
ROUTER=10.77.0.254
HEAD_TOO=10.77.0.3

network_create() {
  local pair host address
  ip link set lo up
  for pair in $HOST_ADDRESSES; do
    host=${pair%:*} address=${pair#*:}
    ip netns add "$host"
    network_without_ipv6 "$host"
    ip link add "$host" type veth peer name eth0 netns "$host"
    ip -batch - <<-END
	address add $ROUTER/32 dev $host
	link set $host up
	route add $address/32 dev $host
	END
    ip -netns "$host" -batch - <<-END
	link set lo up
	address add $address/32 dev eth0
	link set eth0 up
	route add $ROUTER/32 dev eth0
	route add 10.77.0.0/24 via $ROUTER src $address
	END
  done
  # The head's second address, for tests with a second slurmctld on it.
  ip -netns head address add "$HEAD_TOO/32" dev eth0
  ip route add "$HEAD_TOO/32" dev head
  nft -f "$here/firewall.nft"
  echo 1 > /proc/sys/net/ipv4/ip_forward
}

# The cluster has IPv4 addresses only; link-local IPv6 must not bypass the
# firewall.
network_without_ipv6() {
  [ ! -d /proc/sys/net/ipv6 ] || ip netns exec "$1" sh -c \
    'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
     echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6'
}
