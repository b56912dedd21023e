# Cleans up behind a private Docker Engine:  sh reap.sh DIR
#
# It is started together with the engine and waits for the end of its standard input. That comes when the engine is closed,
# and as well when the test that owns the engine times out, crashes or is killed. What it ends, unmounts and removes all
# bears the engine's own directory.
trap '' HUP INT QUIT TERM
dir=$1
cd / || exit 1
cat >/dev/null

# pids PATTERN: processes with an argument like that. The pattern is written so that it does not match itself.
pids() {
	grep -lszxe "$1" /proc/[0-9]*/cmdline | cut -d/ -f3
}

# end PATTERN: asks these processes to end, and no longer asks after 20 seconds.
end() {
	tenths=0
	while [ "$tenths" -lt 250 ] && found=$(pids "$1") && [ -n "$found" ]; do
		[ "$tenths" -eq 0 ] && kill -TERM $found && kill -CONT $found
		[ "$tenths" -ge 200 ] && kill -KILL $found
		sleep 0.1
		tenths=$((tenths + 1))
	done
}

end "[-]-pidfile=$dir/dockerd.pid"

# Containers are left only where dockerd was killed. Each is the child of its shim.
for shim in $(pids "[/]${dir#/}/containerd.sock"); do
	for container in $(grep -lsxe "PPid:[[:space:]]*$shim" /proc/[0-9]*/status | cut -d/ -f3); do
		kill -KILL "$container"
	done
	kill -KILL "$shim"
done
for address in "$dir"/ctd-state/*/*/*/address; do
	[ -f "$address" ] && socket=$(cat "$address") && rm -f "${socket#unix://}"
done

end "[-]-config=$dir/containerd.toml"

awk -v below="$dir/" 'index($5, below) == 1 { print $5 }' /proc/self/mountinfo | sort -r | while read -r mount; do
	umount -l "$mount"
done
find /sys/fs/cgroup -depth -type d \( -path '*/docker/*' -o -name 'docker-*.scope' \) | while read -r cgroup; do
	id=${cgroup##*/docker[-/]}
	for data in "$dir/data" "$dir/other/data"; do
		[ -d "$data/containers/${id%.scope}" ] && rmdir "$cgroup"
	done
done
rm -rf "$dir"
