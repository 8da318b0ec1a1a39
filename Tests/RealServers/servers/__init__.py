"""The servers, a module each. What a module has:

JOB      the job that syncs it
SECRETS  the secrets of that job's file, by name
READY    the path that answers as soon as it serves
serve    prepares its folder; the words that start it, and what its environment has besides
fill     what it holds at first
change   what is edited, added and deleted there later
says     its rows by its own word, as its store has them or by other questions than the job's: for each table (or what
         stands behind `from`) the columns of the key and the rows
"""

NAMES = ["kinto", "datasette", "registry", "etcd", "powerdns", "activitywatch", "matrix", "devpi", "roundup"]
