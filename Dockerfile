# The node in a container without a shell. native/docs/operations.md says how to run it.
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 make build WALLET=no && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /src/bin/obverse /obverse
COPY --from=build --chown=nonroot:nonroot /data /data
USER nonroot
VOLUME /data
EXPOSE 7783 7771
ENTRYPOINT ["/obverse", "serve", "--datadir", "/data"]
CMD ["rpcip=0.0.0.0", "daemon.rpcip=0.0.0.0", "rpc_local_only=false"]
