# The image of every role: `docker run IMAGE worker`, `… migrate`, `… status`; see docker-compose.yml. Job files are
# mounted at /etc/jobrunner/jobs. `--target demo` is another image, which has the sources and the tenants of the demo too.
#
# docs/operating/install.md tells how the two images that it is made of are pinned by their digests.
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
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
COPY bin/needs bin/sbom bin/
RUN bin/sbom --build > /out/sbom.lines

FROM ${DEBIAN_IMAGE} AS runtime
# The time that the bill of materials tells, in seconds since 1970; without it none.
ARG SOURCE_DATE_EPOCH
COPY bin/needs bin/sbom /usr/local/bin/
COPY --from=build /out/sbom.lines /tmp/sbom.lines
RUN needs run \
 && mkdir -p /usr/share/doc/jobrunner \
 && sbom --image /tmp/sbom.lines > /usr/share/doc/jobrunner/sbom.cdx.json \
 && rm -rf /usr/local/bin/needs /usr/local/bin/sbom /tmp/sbom.lines \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/apt /var/log/dpkg.log \
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
# A new volume belongs to whom the folder belongs that it is mounted over, so nobody who fills one need be root.
USER 0
RUN install -d -m 0755 -o jobrunner -g jobrunner /jobs \
 && install -d -m 0750 -o jobrunner -g jobrunner /logins/owner /logins/work /logins/operate /logins/serve
USER 10001:10001

# The last one is what is built without --target.
FROM runtime
