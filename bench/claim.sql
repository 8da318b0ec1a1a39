select * from jobrunner.claim_jobs($1, $2, array['bench.idle'])
