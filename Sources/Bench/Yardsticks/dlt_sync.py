"""Syncs all users of a static source into PostgreSQL with dlt, and prints how long that took.

    dlt_sync.py SOURCE_URL USERS PAGE_SIZE DATABASE_URL DATASET FOLDER STRATEGY FORMAT WORKERS

One resource yields the pages as they are, each record with its user's key; dlt merges by (user_key, id).
Columns are declared, so nothing is guessed from the data. FOLDER is dlt's own and must be new.
"""

import os
import re
import sys
import time

source, users, page_size, database, dataset, folder, strategy, file_format, workers = sys.argv[1:]
os.environ.update(
    {
        "DLT_DATA_DIR": folder,
        "RUNTIME__DLTHUB_TELEMETRY": "false",
        "RUNTIME__LOG_LEVEL": "ERROR",
        # It insists on a password, which a server that trusts loopback does not look at.
        "DESTINATION__POSTGRES__CREDENTIALS": re.sub("//([^:@/]+)@", r"//\1:none@", database),
        "NORMALIZE__WORKERS": workers,
        # With one file there would be nothing to share among the workers.
        "NORMALIZE__DATA_WRITER__FILE_MAX_ITEMS": "25000",
        "EXTRACT__DATA_WRITER__FILE_MAX_ITEMS": "25000",
    }
)

import dlt  # noqa: E402, it reads the environment
import requests  # noqa: E402

columns = {
    "user_key": {"data_type": "text", "nullable": False},
    "id": {"data_type": "text", "nullable": False},
    "seq": {"data_type": "bigint", "nullable": False},
    "updated_at": {"data_type": "timestamp", "nullable": False},
    "channel": {"data_type": "text"},
    "title": {"data_type": "text"},
    "score": {"data_type": "double"},
    "active": {"data_type": "bool"},
    "text": {"data_type": "text"},
}


@dlt.resource(
    name="record",
    columns=columns,
    primary_key=("user_key", "id"),
    write_disposition={"disposition": "merge", "strategy": strategy},
    max_table_nesting=0,
)
def records():
    session = requests.Session()
    for number in range(1, int(users) + 1):
        user = f"user-{number:06d}"
        offset = "0"
        while offset is not None:
            answer = session.get(
                f"{source}/static/{user}/records", params={"offset": offset, "limit": page_size}
            )
            answer.raise_for_status()
            page = answer.json()
            items = page["items"]
            for item in items:
                item["user_key"] = user
            yield items
            offset = page.get("next")


def main():
    began = time.monotonic()
    pipeline = dlt.pipeline(
        pipeline_name=dataset, destination="postgres", dataset_name=dataset, pipelines_dir=folder
    )
    pipeline.run(records(), loader_file_format=file_format)
    steps = {step.step: (step.finished_at - step.started_at).total_seconds() for step in pipeline.last_trace.steps}
    print(time.monotonic() - began, steps)


if __name__ == "__main__":
    main()
