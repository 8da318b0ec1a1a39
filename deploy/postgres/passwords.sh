#!/bin/sh
# Makes a password for each login of jobrunner, once, in a volume of its own: /logins/owner, work, operate, serve.
#
# A password is 32 random bytes, in hex, or what a file of that name in /given holds; what was made before stays. It
# stands in `password` for the server, which makes the login with it (roles.sh) and is of this user's group, and in
# `database_url` for the program, which takes a file of its own user alone.
set -eu

made() {
    if [ -s "/given/$1" ]; then cat "/given/$1"; else head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; fi
}

# Files take their names when they are whole, so whoever is stopped in the middle is ended by the next start.
put() {
    umask "$1"
    cat > "$2.new"
    mv -f "$2.new" "$2"
}

for login in owner work operate serve; do
    folder=/logins/$login
    [ -s "$folder/password" ] || made "$login" | put 0337 "$folder/password"
    case $login in owner) role=jobrunner ;; *) role=jobrunner_$login ;; esac
    quoted=$(sed "s/[\\\\']/\\\\&/g" "$folder/password")
    printf "host=postgres dbname=jobrunner user=%s password='%s'\n" "$role" "$quoted" | put 0377 "$folder/database_url"
done
