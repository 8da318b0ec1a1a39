"""Asks the database by psql."""

import os
import subprocess


def sql(text):
    """The rows' columns, joined by blanks."""
    done = subprocess.run(
        ["psql", "-X", "-q", "-At", "-F", " ", "-v", "ON_ERROR_STOP=1", "-d", os.environ["DATABASE_URL"], "-c", text],
        check=True, capture_output=True, text=True)
    return done.stdout.strip()
