# The program alone: PostgreSQL is not in the image, and DATABASE_URL and SECRET_KEY must be given.
# The stages that build run on the builder's own platform and cross-compile, so that no step is emulated.

FROM --platform=$BUILDPLATFORM node:22-alpine AS dashboard
WORKDIR /src/dashboard
COPY dashboard/package.json dashboard/package-lock.json dashboard/.npmrc ./
RUN npm ci
COPY dashboard ./
RUN npm run build

FROM --platform=$BUILDPLATFORM golang:1.27.3-alpine AS program
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=dashboard /src/dashboard/dist ./dashboard/dist
ARG TARGETOS TARGETARCH VERSION=unknown
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
	go build -buildvcs=false -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /formonce .
# A volume that is mounted here takes over this owner, so that the program may write to it.
RUN mkdir /data

FROM busybox:1.37-musl AS probe

# Certificates, time zones, an account without rights, and no shell.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=probe /bin/wget /bin/wget
COPY --from=program --chown=nonroot:nonroot /data /data
COPY --from=program /formonce /formonce
ENV LISTEN_ADDR=0.0.0.0:8080 DATA_DIR=/data
EXPOSE 8080
VOLUME /data
USER nonroot
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
	CMD ["/bin/wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/readyz"]
ENTRYPOINT ["/formonce"]
CMD ["serve"]
