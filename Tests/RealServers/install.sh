# What Tests/RealServers/run needs: servers from PyPI in a virtual environment, and from Debian.
# shellcheck shell=bash

venv=.build/real-servers
from_pypi=(kinto datasette datasette-auth-tokens matrix-synapse devpi-server aw-server roundup)
from_debian=(docker-registry apache2-utils etcd-server pdns-server pdns-backend-sqlite3)

install_servers() {
    bin/needs test
    if ! "$venv/bin/pip" show -q "${from_pypi[@]}" 2> /dev/null; then
        say "installing ${from_pypi[*]} into $venv (pip)"
        python3 -m venv "$venv" 2> /dev/null || {
            apt-get -qq install -y python3-venv > /dev/null
            python3 -m venv "$venv"
        }
        # Kinto still asks setuptools for its own version, and ActivityWatch can't read the times of a newer peewee.
        "$venv/bin/pip" install -q "${from_pypi[@]}" 'setuptools<80' 'peewee<4'
    fi
    if ! are_installed "${from_debian[@]}"; then
        say "installing ${from_debian[*]} (apt-get)"
        apt-get -qq update
        without_services env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
            "${from_debian[@]}" > "$dir/apt.log" 2>&1 || fail "apt-get failed"
    fi
}

# One that dpkg has never heard of is no line of the answer but a fault.
are_installed() {
    local states
    states=$(dpkg-query -W -f '${db:Status-Status}\n' "$@" 2> /dev/null) || return 1
    ! grep -qvx installed <<< "$states"
}

# The packages would start services of their own.
without_services() {
    local policy=/usr/sbin/policy-rc.d status=0 ours=
    if [ ! -e "$policy" ]; then
        ours=yes
        printf '#!/bin/sh\nexit 101\n' > "$policy"
        chmod 755 "$policy"
    fi
    "$@" || status=$?
    [ -z "$ours" ] || rm -f "$policy"
    return "$status"
}

tell_versions() {
    say "$("$venv/bin/python" -c 'import sys, importlib.metadata as m; print(*(f"{n} {m.version(n)}" for n in sys.argv[1:]), sep=", ")' \
        "${from_pypi[@]}"), $(dpkg-query -W -f '${Package} ${Version}, ' "${from_debian[@]}" | sed 's/, $//')"
}
