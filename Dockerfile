# Builds for amd64 and arm64 alike: nothing here names an architecture.
FROM rust:1.95-slim-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ cmake make pkg-config perl git libclang-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY crates crates
COPY migrations migrations
COPY static static
COPY tests tests
COPY README.md ./
# The caches make a second build quick; the binary is copied out because they do not stay in the layer.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --locked --profile dist --bin trawls \
    && cp target/dist/trawls /usr/local/bin/trawls

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates chromium curl fonts-dejavu-core fonts-liberation fonts-noto-cjk tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home --home-dir /home/trawls trawls \
    && install -d -o trawls -g trawls /data
COPY --from=build /usr/local/bin/trawls /usr/local/bin/trawls
USER 10001
ENV TRAWLS_HOST=0.0.0.0 \
    TRAWLS_PORT=8180 \
    TRAWLS_DATA_DIR=/data \
    TRAWLS_BROWSER_PATH=/usr/bin/chromium
VOLUME /data
EXPOSE 8180
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["curl", "-fsS", "http://127.0.0.1:8180/healthz"]
# tini reaps what Chromium leaves behind.
ENTRYPOINT ["tini", "--", "trawls"]
CMD ["serve"]
