/// A job that asks no source: what is left is the queue's own work.
let idleJob = """
    version: 1
    job: bench.idle
    schedule:
      every: 1h
      spread: user
      deadline: 60s
    source:
      id: nobody
      base: http://127.0.0.1:9
    entities:
      - entity: nothing
        enabled: false
        request:
          path: /nothing
        page:
          style: single
        records:
          at: items
          key: [id]
          fields:
            id: { at: id, type: text, required: true }
        write:
          table: bench_nothing
          mode: overwrite
    """

/// The same, which only an enqueue makes due again while a benchmark lasts.
let rareIdleJob = idleJob.replacing("every: 1h", with: "every: 30d")
