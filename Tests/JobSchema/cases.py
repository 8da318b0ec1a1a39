"""Three files that are right, and what is changed in them: right or not, file, place, value."""

GONE = object()

PLAIN = {
    "version": 1,
    "job": "app.refresh",
    "kind": "refresh",
    "schedule": {"every": "1h", "deadline": "5m"},
    "source": {"id": "hub", "base": "https://hub.example", "auth": {"type": "none"}},
    "lists": {"ids": {"table": "hub_id", "column": "id"}},
    "calls": {"health": {"path": "/health"}, "send": {"method": "POST", "path": "/send"}},
    "before": [{"call": "health"}, {"call": "send", "if_any": [{"never_succeeded": "send"}]}],
    "entities": [
        {
            "entity": "video",
            "request": {"path": "/feed", "query": {"after": "{page.token}", "n": "{page.size}"}},
            "page": {"style": "token", "token_at": "next", "size": 100},
            "records": {
                "at": "videos[]",
                "key": ["id"],
                "fields": {
                    "id": {"at": "id", "type": "text", "required": True},
                    "length": {"at": "length", "type": "int"},
                    "made_at": {"at": "made", "type": "timestamp"},
                    "is_new": {"at": "new", "type": "bool"},
                },
                "keep_if": [{"field": "length", "gte": 60}],
            },
            "write": {"table": "video", "mode": "overwrite", "deletes": {"flag_at": "gone"}},
            "recover": [
                {"name": "lost", "if": {"status": 404}, "do": ["send"], "then": "fail", "times": 1}
            ],
        }
    ],
    "after": [{"call": "send", "only_if": "complete"}],
    "stores": {"video": {"kind": "disposable"}},
    "health": [{"check": "duplicates", "table": "video", "by": ["length"]}],
}

FEED = {
    "version": 1,
    "job": "app.status",
    "kind": "status",
    "schedule": {
        "every": "5m", "deadline": "60s", "triggers": [{"event": "up"}],
        "slow_down": {"after": "30d", "every": "1d"},
    },
    "source": {
        "id": "ck-app",
        "preset": "cloudkit",
        "container": "iCloud.com.example.app",
        "environment": "production",
        "database": "private",
        "auth": {
            "type": "cloudkit_user",
            "api_token": "{secret.api}",
            "web_auth_token": "{secret.web}",
        },
    },
    "before": [{"cloudkit": "check_account"}, {"cloudkit": "ensure_zone", "zone": "Zone"}],
    "entities": [
        {
            "entity": "mark",
            "cloudkit": {"op": "changes/zone", "zone": "Zone", "record_types": ["Mark"]},
            "page": {"style": "sync_token"},
            "records": {
                "key": ["mark_id"],
                "fields": {
                    "mark_id": {"at": "markId", "type": "text", "required": True},
                    "saved_at": {"at": "savedAt", "type": "timestamp"},
                    "tag": {"meta": "recordChangeTag", "type": "text"},
                },
            },
            "write": {
                "table": "mark",
                "mode": "newest_wins",
                "newer_by": "modified_at",
                "unique": {"by": ["tag"], "keep": {"oldest": "saved_at"}, "losers": "keep_hidden"},
                "deletes": {"tombstones": "delete", "sweep": "after_full_pass"},
            },
            "recover": [
                {
                    "name": "lost",
                    "if": {"code": "GONE", "reason_has": ["gone"]},
                    "do": ["cloudkit.create_zone", "forget_token"],
                    "then": "full_pass",
                    "times": 1,
                }
            ],
            "push": {
                "select": {"dirty": "synced = false"},
                "record_type": "Mark",
                "record_name": "{row.mark_id}",
                "on_conflict": {"resolve": "newest_wins", "times": 2},
            },
        }
    ],
}

QUERY = {
    "version": 1,
    "job": "app.shared",
    "kind": "refresh",
    "schedule": {"every": "1h", "deadline": "5m"},
    "freshness": {"soft": "15m", "hard": "30m", "soft_uses": "probe"},
    "source": {
        "id": "ck-public",
        "preset": "cloudkit",
        "container": "iCloud.com.example.app",
        "environment": "production",
        "database": "public",
        "auth": {"type": "cloudkit_server", "key_id": "abc", "private_key": "{secret.key}"},
    },
    "entities": [
        {
            "entity": "item",
            "cloudkit": {
                "op": "records/query",
                "type": "Item",
                "since": {"system": "modifiedTimestamp", "op": ">="},
                "where": [{"field": "owner", "op": "=", "value": "{user.id}"}],
                "sort": [{"field": "name", "order": "asc"}],
            },
            "probe": {
                "sort": [{"system": "modifiedTimestamp", "order": "desc"}],
                "skip_if_same": ["recordName"],
                "full_every": "1d",
            },
            "page": {"style": "token", "size": 200},
            "incremental": {"watermark": "max_seen", "overlap": "2m", "full_every": "1d"},
            "records": {
                "key": ["item_id"],
                "fields": {"item_id": {"at": "itemId", "type": "text", "required": True}},
            },
            "write": {"table": "item", "mode": "newest_wins", "newer_by": "modified_at"},
        }
    ],
}

BASES = {"plain": PLAIN, "feed": FEED, "query": QUERY}

E = "entities.0"
FIELD = f"{E}.records.fields.length"
AUTH = "source.auth"


def unknown(base, *places):
    """A key that is nobody's, in each mapping."""
    return [(False, base, f"{place}.colour".removeprefix("."), "red") for place in places]


def missing(base, *places):
    return [(False, base, place, GONE) for place in places]


def wrong(base, values):
    return [(False, base, place, value) for place, value in values]


def right(base, values):
    return [(True, base, place, value) for place, value in values]


CASES = [
    *unknown(
        "plain", "", "schedule", "source", "source.auth", "lists.ids", "calls.send", "before.0",
        E, f"{E}.request", f"{E}.page", f"{E}.records", FIELD, f"{E}.records.keep_if.0",
        f"{E}.write", f"{E}.write.deletes", f"{E}.recover.0", f"{E}.recover.0.if", "after.0",
        "stores.video", "health.0"),
    *unknown(
        "feed", "schedule.triggers.0", "schedule.slow_down", "before.1", f"{E}.cloudkit", f"{E}.write.unique",
        f"{E}.write.unique.keep", f"{E}.push", f"{E}.push.select", f"{E}.push.on_conflict"),
    *unknown(
        "query", "freshness", f"{E}.cloudkit.since", f"{E}.cloudkit.where.0",
        f"{E}.cloudkit.sort.0", f"{E}.probe", f"{E}.incremental"),
    *missing(
        "plain", "version", "job", "kind", "schedule", "source", "entities", "schedule.every",
        "schedule.deadline", "source.id", "source.base", "source.auth.type", "lists.ids.table",
        "lists.ids.column", "calls.send.path", f"{E}.entity", f"{E}.request", f"{E}.request.path",
        f"{E}.page", f"{E}.page.style", f"{E}.page.token_at", f"{E}.records", f"{E}.records.at",
        f"{E}.records.key", f"{E}.records.fields", f"{FIELD}.at", f"{FIELD}.type",
        f"{E}.records.keep_if.0.field", f"{E}.records.keep_if.0.gte", f"{E}.write",
        f"{E}.write.table", f"{E}.write.mode", f"{E}.recover.0.name", f"{E}.recover.0.if",
        f"{E}.recover.0.then", f"{E}.recover.0.times", "after.0.call", "stores.video.kind",
        "health.0.check", "health.0.table", "health.0.by"),
    *missing(
        "feed", "source.container", "source.environment", "source.database", "source.auth",
        "source.auth.api_token", "source.auth.web_auth_token", "schedule.triggers.0.event",
        "schedule.slow_down.after", "schedule.slow_down.every", "before.1.zone", f"{E}.cloudkit", f"{E}.cloudkit.op", f"{E}.cloudkit.zone",
        f"{E}.cloudkit.record_types", f"{E}.write.newer_by", f"{E}.write.unique.by",
        f"{E}.write.unique.keep", f"{E}.write.unique.losers", f"{E}.push.select",
        f"{E}.push.select.dirty", f"{E}.push.record_type", f"{E}.push.record_name",
        f"{E}.push.on_conflict.resolve", f"{E}.push.on_conflict.times"),
    *missing(
        "query", "freshness.soft", "freshness.hard", "source.auth.key_id",
        "source.auth.private_key", f"{E}.cloudkit.type", f"{E}.cloudkit.since.op",
        f"{E}.cloudkit.since.system", f"{E}.cloudkit.where.0.value", f"{E}.probe.sort",
        f"{E}.probe.skip_if_same", f"{E}.probe.full_every", f"{E}.incremental.watermark"),
    *wrong("plain", [
        ("version", 2), ("version", "1"), ("job", "app"), ("job", "App.refresh"), ("kind", ""),
        ("scope", "tenants"), ("schedule", []), ("schedule.every", 3600),
        ("schedule.every", "1 hour"), ("schedule.deadline", "5min"), ("schedule.spread", "users"),
        ("schedule.if_running", "queue"), ("schedule.requires", {"secret": "a"}),
        ("schedule.requires", [{"secret": "a", "user": "b"}]), ("source.id", "Hub"),
        ("source.base", "hub.example"), ("source.base", "https://hub.example/"),
        ("source.base", "https://hub.example?a=b"), ("source.database", "public"),
        ("source.preset", "cloudkitt"), ("source.timeout", 30), ("source.rate", {"concurrent": 0}),
        ("source.rate", {"per_second": 0}), ("source.retry", {"attempts": 11}),
        ("source.retry", {"on": [401]}), ("source.retry", {"on": ["421"]}),
        ("source.retry", {"wait_from": [{}]}), ("source.headers", {"Host": "x"}),
        (AUTH, {"type": "baerer"}), (AUTH, {"type": "bearer"}),
        (AUTH, {"type": "bearer", "token": "abc"}),
        (AUTH, {"type": "bearer", "token": "{secret.t}", "user": "me"}),
        (AUTH, {"type": "cloudkit_server", "key_id": "a", "private_key": "{secret.k}"}),
        (AUTH, {"type": "oauth2_client", "token_url": "https://a.example/t", "client_id": "me"}),
        ("calls.health.body", {"a": 1}), ("calls.health.expect", []),
        ("calls.health.on_failure", "ignore"), ("calls.health.retry", "true"),
        ("before.0", {"call": "health", "cloudkit": "check_account"}), ("before.1.if_any", []),
        ("before.1.if_any", [{"never_succeeded": "send", "list_changed": "ids"}]),
        ("entities", []), (f"{E}.enabled", "yes"), (f"{E}.conditional", 1),
        (f"{E}.request.method", "PUT"), (f"{E}.request.path", "feed"),
        (f"{E}.request.path", "/feed?a=b"), (f"{E}.page.style", "tokn"), (f"{E}.page.size", 0),
        (f"{E}.page.size", "100"), (f"{E}.page.end", "short_page"), (f"{E}.page.token_at", ""),
        (f"{E}.page.token_at", "a[].b"), (f"{E}.page.max_pages", 0),
        (f"{E}.page", {"style": "sync_token", "token_at": "next"}),
        (f"{E}.for_each", {"list": "ids", "chunk": 0}),
        (f"{E}.probe", {"request": {"path": "/x"}, "skip_if_same": ["a"]}),
        (f"{E}.records.at", "a..b"), (f"{E}.records.key", []), (f"{E}.records.fields", {}),
        (f"{E}.records.fields.user_id", {"at": "u", "type": "text"}),
        (f"{E}.records.fields.Big", {"at": "u", "type": "text"}), (f"{FIELD}.type", "integer"),
        (f"{FIELD}.at", "a[]"), (f"{FIELD}.meta", "created"), (f"{FIELD}.format", "epoch_s"),
        (f"{FIELD}.default", "12"), (f"{FIELD}.one_of", ["a"]), (f"{FIELD}.required", "true"),
        (f"{E}.records.fields.id.default", "x"), (f"{E}.records.keep_if.0.lt", 5),
        (f"{E}.write.mode", "upsert"), (f"{E}.write.table", "Video"),
        (f"{E}.write.indexes", ["length"]), (f"{E}.write.indexes", [[]]),
        (f"{E}.write.deletes", {"sweep": True}), (f"{E}.write.deletes", {"max_fraction": 2}),
        (f"{E}.write.deletes", {"tombstones": "drop"}), (f"{E}.write.deletes", {"unsent": "keep"}),
        (f"{E}.recover.0.if", {}), (f"{E}.recover.0.if", {"status": 401}),
        (f"{E}.recover.0.if", {"status": [421]}), (f"{E}.recover.0.times", 0),
        (f"{E}.recover.0.then", "again"), (f"{E}.push", {}), (f"{E}.requires_previous", "yes"),
        (f"{E}.page", {"style": "offset", "next_at": "next"}),
        (f"{E}.page", {"style": "page", "next_at": "next", "total_at": "count"}),
        ("source.retry", {"wait_from": [{"body": "wait", "unit": "m"}]}),
        (f"{E}.records.fields.made_at.format", "text"),
        (f"{E}.records.fields.is_new.format", "text"), ("after.0.only_if", "always"),
        ("after.0.cleanup", {"table": "video", "older_than": "1d", "by": "made_at"}),
        ("stores.video.schema", "additive_only"), ("stores.video.kind", "cache"),
        ("health.0.report", False), ("health.0.on", "always"), ("on_change", True),
    ]),
    *wrong("feed", [
        ("source.container", "com.example.app"), ("source.environment", "test"),
        ("source.database", "secret"), (AUTH, {"type": "none"}),
        ("source.auth.web_auth_token", "a{secret.web}"), ("before.0.zone", "Zone"),
        ("before.1.zone", "_defaultZone"), ("before.0.cloudkit", "make_zone"),
        ("schedule.triggers.0.debounce", 5), ("schedule.slow_down.every", 5), (f"{E}.cloudkit.op", "changes/zones"),
        (f"{E}.cloudkit.type", "Mark"), (f"{E}.cloudkit.record_types", []),
        (f"{E}.request", {"path": "/x"}), (f"{E}.page.size", 400),
        (f"{E}.records.fields.tag.meta", "changeTag"), (f"{E}.records.fields.tag.at", "tag"),
        (f"{E}.records.fields.tag.type", "timestamp"),
        (f"{E}.records.fields.saved_at.format", "epoch_ms"),
        (f"{E}.write.unique.keep.newest", "saved_at"), (f"{E}.write.unique.losers", "hide"),
        (f"{E}.write.unique.merge", {"saved_at": "sum"}), (f"{E}.push.batch", 201),
        (f"{E}.push.after", "push"), (f"{E}.push.select.dirty", "synced"),
        (f"{E}.push.record_name", "fixed"), (f"{E}.push.operation", "replace"),
        (f"{E}.push.on_conflict.lookup", False), (f"{E}.push.on_conflict.resolve", "local_wins"),
        (f"{E}.push.mark_clean_if_unchanged_since_read", False),
        (f"{E}.recover.0.if.code", "gone"), (f"{E}.recover.0.if.reason_has", []),
    ]),
    *wrong("query", [
        ("freshness.soft_uses", "nothing"), (f"{E}.cloudkit.zone", "Zone"),
        (f"{E}.cloudkit.since.op", "<"), (f"{E}.cloudkit.since.system", "recordName"),
        (f"{E}.cloudkit.where.0.op", "=="), (f"{E}.cloudkit.where.0.value", True),
        (f"{E}.cloudkit.sort.0.order", "up"), (f"{E}.cloudkit.where", []), (f"{E}.probe.limit", 2),
        (f"{E}.probe.skip_if_same", ["modified"]), (f"{E}.incremental.fallback", "never"),
        (f"{E}.incremental.format", "iso8601"), (f"{E}.incremental.full_every", "daily"),
        (f"{E}.for_each", {"list": "ids", "chunk": 5}),
    ]),
    *right("plain", [
        ("note", "free"), ("scope", "tenant"), ("schedule.requires", [{"secret": "a"}]),
        ("schedule.spread", "none"), ("source.headers", {"X-Key": "{secret.k}"}),
        ("source.timeout", "2.5s"), ("source.rate", {"per_second": 0.5, "concurrent_per_user": 1}),
        ("source.retry", {"on": ["5xx", 503, "408"], "wait_from": [{"body": "wait.s"}]}),
        (AUTH, {"type": "basic", "user": "me", "password": "{secret.p}"}),
        (AUTH, {"type": "header", "name": "X-Key", "value": "{secret.p}"}),
        (AUTH, {"type": "oauth2_refresh", "token_url": "https://a.example/t", "client_id": "me",
                "refresh_token": "{secret.r}"}),
        (f"{E}.enabled", False), (f"{E}.conditional", True), (f"{FIELD}.default", 5),
        (f"{E}.records.fields.made_at.format", "epoch_ms"), (f"{FIELD}.format", "text"),
        (f"{E}.page", {"style": "page", "next_at": "next", "size": 5}),
        (f"{E}.page", {"style": "page", "total_at": "count", "size": 5}),
        (f"{E}.requires_previous", True),
        ("source.retry", {"wait_from": [{"body": "wait_ms", "unit": "ms"}]}),
        (f"{E}.records.fields.body", {"at": "", "type": "json"}),
        (f"{E}.write.indexes", [["made_at", "length"]]), (f"{E}.write.mode", "replace_all"),
        (f"{E}.write.deletes", {"sweep": "after_full_pass", "max_fraction": 1}),
        (f"{E}.recover.0.if.status", [404, 410]),
        ("after.0", {"cleanup": {"table": "video", "older_than": "400d", "by": "made_at"}}),
        ("stores.video", {"kind": "disposable", "on_schema_failure": "recreate_and_refetch"}),
        ("health.0.on", "worker_start"), ("on_change", "notify"),
        (f"{E}.probe", {"request": {"path": "/x"}, "skip_if_same": ["a[].b"], "full_every": "1d"}),
    ]),
    *right("feed", [
        ("source.base", "http://127.0.0.1:8080"), ("source.auth.rotates", False),
        ("schedule.triggers.0.cancel_on", "down"), ("before.1.remember", True),
        (f"{E}.page.size", 50), (f"{E}.page.token_at", "zones[].syncToken"),
        (f"{E}.write.deletes.unsent", "local_edit_wins"), (f"{E}.push.debounce", "250ms"),
        (f"{E}.push.operation", "force"), (f"{E}.push.select.deleted", "pending_delete"),
        (f"{E}.recover.0.if", {"code": ["A", "B"]}),
    ]),
    *right("query", [
        ("freshness.soft_uses", "pass"), (f"{E}.cloudkit.where.0.value", 5),
        (f"{E}.cloudkit.since", {"field": "lastModified", "op": ">"}), (f"{E}.probe.limit", 1),
        (f"{E}.incremental.fallback", "job_last_success"), ("source.database", "public"),
    ]),
]
