# The words of Tests/RealServers/run: what it says, checks and asks the database.
# shellcheck shell=bash

failed=0

say() { echo "real-servers: $*"; }
fail() { say "$*" >&2; exit 1; }

check() {  # check SENTENCE WANTED FOUND
    if [ "$2" = "$3" ]; then
        echo "ok - $1"
    else
        echo "not ok - $1: wanted '$2', found '$3'"
        failed=$((failed + 1))
    fi
}

sql() { psql -X -q -At -F ' ' -v ON_ERROR_STOP=1 -d "$DATABASE_URL" -c "$1"; }

# A line for each row of each table: another place or transaction is another version.
row_versions() {
    local query
    query=$(sql "select string_agg(format('select %L, ctid, xmin from synced.%I', tablename, tablename), ' union all ')
        from pg_tables where schemaname = 'synced'")
    sql "$query" | LC_ALL=C sort
}

# Every server's rows, and what it says has changed since they were last compared.
compare() {  # compare [changed]
    local name rows added edited deleted wrong
    side compare > "$dir/compared" || fail "the servers could not be read"
    grep '^#' "$dir/compared" || true
    while read -r name rows added edited deleted wrong; do
        if [ -n "${1:-}" ]; then
            check "$name: what was added ($added), edited ($edited) and deleted ($deleted) there is so here" \
                "yes" "$(has_changed "$name" "$added" "$edited" "$deleted")"
        fi
        check "$name: of $rows rows 0 are lost, 0 doubled, 0 different, 0 unexpected" "0 0 0 0" "$wrong"
    done < <(grep -v '^#' "$dir/compared")
}

# The registry has names and nothing to edit.
has_changed() {  # has_changed NAME ADDED EDITED DELETED
    if [ "$2" -gt 0 ] && { [ "$3" -gt 0 ] || [ "$1" = registry ]; } && [ "$4" -gt 0 ]; then echo yes; else echo no; fi
}
