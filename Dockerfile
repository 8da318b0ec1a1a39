# The image of every role: `docker run IMAGE worker`, `… migrate`, `… status`; see docker-compose.yml. Job files are
# mounted at /etc/jobrunner/jobs. `--target demo` is another image, which has the sources and the tenants of the demo too.
FROM swift:6.3-bookworm AS build
COPY bin/needs /usr/local/bin/needs
RUN needs build
WORKDIR /src
COPY Package.swift ./
COPY sql sql
COPY Sources Sources
RUN swift build -c release --static-swift-stdlib --product jobrunner -Xlinker -s \
 && swift build -c release --static-swift-stdlib --product fake-source -Xlinker -s \
 && mkdir /out \
 && cp "$(swift build -c release --show-bin-path)/jobrunner" \
       "$(swift build -c release --show-bin-path)/fake-source" /out/

FROM debian:bookworm-slim AS runtime
COPY bin/needs /usr/local/bin/needs
RUN needs run \
 && rm -rf /usr/local/bin/needs /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/apt /var/log/dpkg.log \
 && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin jobrunner \
 && mkdir -p /etc/jobrunner/jobs
COPY --from=build /out/jobrunner /usr/local/bin/
ENV JOBRUNNER_JOBS=/etc/jobrunner/jobs
USER 10001:10001
ENTRYPOINT ["jobrunner"]
CMD ["worker"]

FROM runtime AS demo
COPY --from=build /out/fake-source /usr/local/bin/
COPY bin/sample-tenants /usr/local/bin/

# The last one is what is built without --target.
FROM runtime
