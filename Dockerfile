# A tracker on this computer, as npm start runs it. Built from a clone, whose history tells the version.
FROM node:24 AS build
WORKDIR /lacewing
COPY package.json package-lock.json .npmrc ./
# the image brings Node, so the package "node" need not fetch its own
RUN npm ci --omit=dev --ignore-scripts
COPY . .
RUN node scripts/run.js bundle-ahead && rm -rf .git test

FROM node:24-slim
# the runtime does not start without them, and this image has none
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=build /lacewing /lacewing
RUN install -d -o node -g node /data
WORKDIR /lacewing
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "scripts/run.js", "start", "--host", "0.0.0.0", "--persist-to", "/data"]
